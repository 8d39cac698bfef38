/** The address of an approved text as a WebVTT file. */
export const transcriptAddress = (uid: string): string => `/transcripts/${uid}.vtt`
