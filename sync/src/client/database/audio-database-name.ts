/** The service worker opens it too, without the library. */
export const audioDatabaseName = 'audio'
