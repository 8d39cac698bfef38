let resolveHydrated: () => void

/** Resolves when React has hydrated the page content, not only the frame around it. */
export const hydrated = new Promise<void>((resolve) => (resolveHydrated = resolve))

/** Called by the page, or the error page in its place, once it is mounted. */
export const markHydrated = (): void => resolveHydrated()
