/** Temporary names that clients rename when a file is complete: WinSCP, Cyberduck, rclone, lftp. */
const unfinished =
  /\.(?:filepart|part|partial|tmp|temp|uploading|upload|crdownload|download|duck|lftp|swp|bak)$|~$/i

/** Files that operating systems create in folders they browse. */
const systemFiles = /^(?:\.|Thumbs\.db$|desktop\.ini$)/i

/** Whether a file of this name is finished: neither temporary nor created by an operating system. */
export const isFinalName = (name: string): boolean => !unfinished.test(name) && !systemFiles.test(name)

/** Whether an operating system creates files of this name by itself. */
export const isSystemFile = (name: string): boolean => systemFiles.test(name) && !unfinished.test(name)
