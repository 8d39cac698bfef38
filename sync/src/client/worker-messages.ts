/** Page to worker: the person agreed to the update. The word is workbox-window's. */
export const updateNow = 'SKIP_WAITING'
/** Worker to pages: bytes of the saved recording `key` are gone. */
export const audioMissing = 'AUDIO_MISSING'
/** Page to worker: keep the public pages as they are drawn in `state`; null: keep none. */
export const cachePrerenderedPages = 'CACHE_PRERENDERED_PAGES'
/** Worker to page: go to `path`, the address of a pressed notification. */
export const openPath = 'OPEN_PATH'
