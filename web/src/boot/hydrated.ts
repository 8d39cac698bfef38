let tell: () => void
/** There is somebody behind all of the first page, and not behind its frame alone. */
export const hydrated = new Promise<void>((resolve) => (tell = resolve))

/** Told by the page, or by what stands in its place, once it is there. */
export const markHydrated = (): void => tell()
