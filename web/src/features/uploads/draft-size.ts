import { fileSize } from '../../lib/file-size.ts'

/** '14.2 MB' in units of 1024² bytes, like the upload limit; '8 kB' if megabytes would round to zero. */
export const sizeOf = (bytes: number): string =>
  bytes < 100_000 ? fileSize(bytes) : `${(bytes / 1024 / 1024).toFixed(1)} MB`
