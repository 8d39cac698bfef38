/** Names under which clients keep a file until it is whole, and rename it then: WinSCP, Cyberduck, rclone, lftp. */
const unfinished =
  /\.(?:filepart|part|partial|tmp|temp|uploading|upload|crdownload|download|duck|lftp|swp|bak)$|~$/i

/** What systems leave in folders they look at. */
const systemFiles = /^(?:\.|Thumbs\.db$|desktop\.ini$)/i

/** Whether a file of this name is one that somebody means to send. */
export const isFinalName = (name: string): boolean => !unfinished.test(name) && !systemFiles.test(name)

/** Whether nobody sends a file of this name on purpose. */
export const isSystemFile = (name: string): boolean => systemFiles.test(name) && !unfinished.test(name)
