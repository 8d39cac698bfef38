/** Handouts of one teaching, characters of a name with its extension, and the size of a file. */
export const handoutLimits = { most: 5, name: 120, megabytes: 10, bytes: 10 * 1024 * 1024 } as const

/** The types of handouts by the extension of their addresses. */
export const handoutTypes = {
  pdf: { mime: 'application/pdf', label: 'PDF' },
  jpg: { mime: 'image/jpeg', label: 'JPEG' },
  png: { mime: 'image/png', label: 'PNG' },
  webp: { mime: 'image/webp', label: 'WebP' },
} as const

export type HandoutType = keyof typeof handoutTypes

/** The MIME types, for a file chooser. */
export const handoutMimes = Object.values(handoutTypes)
  .map(({ mime }) => mime)
  .join()
