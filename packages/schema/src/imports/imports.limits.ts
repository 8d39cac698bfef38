const megabyte = 1024 * 1024

/** Limits of moving in: items of one source, bytes of a document and of a ZIP archive, pages of a feed, days in which it can be undone. */
export const importLimits = {
  items: 10_000,
  documentBytes: 32 * megabyte,
  archiveBytes: 4_000 * megabyte,
  pages: 200,
  undoDays: 30,
  guid: 1_000,
  address: 2_000,
  reason: 1_000,
  /** Finished ones that are listed; older ones are forgotten, and their teachings stay. */
  listed: 20,
} as const
