/** Page to worker: the person agreed to the update. The word is workbox-window's. */
export const updateNow = 'SKIP_WAITING'
/** Worker to pages: bytes of the saved recording `key` are gone. */
export const audioMissing = 'AUDIO_MISSING'
/** Worker to pages: it has stored a chunk of the recording `key`, which a player needed. */
export const audioKept = 'AUDIO_KEPT'
/** Page to worker: the recording `key` has a row now, so that its chunks can be stored. */
export const storePlayed = 'STORE_PLAYED'
/** Page to worker: keep the public pages as they are drawn in `state`; null: keep none. */
export const cachePrerenderedPages = 'CACHE_PRERENDERED_PAGES'
/** Worker to page: go to `path`, the address of a pressed notification. */
export const openPath = 'OPEN_PATH'
/** A cache that the worker makes when it has replaced damaged files, and a page deletes when it has said so. */
export const repairedCache = 'repaired'
