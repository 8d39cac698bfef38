/** A count with its noun: '1 file', '2 files', '0 files'. For nouns with a regular plural. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** '12.3 GB' */
export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** '1,024 MB' */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en-NZ')} MB`
