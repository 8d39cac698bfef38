/** Page to worker: the person agreed to the update. The word is workbox-window's. */
export const updateNow = 'SKIP_WAITING'
/** Worker to pages: bytes of the saved recording `key` are gone. */
export const audioMissing = 'AUDIO_MISSING'
