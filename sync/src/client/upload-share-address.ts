/** Where the system posts what is shared with the installed app, and the name of the files in it. */
export const uploadFromShare = { path: '/share', field: 'audioFile' } as const
