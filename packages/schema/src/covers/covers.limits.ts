/** Covers that are drawn as PNG for one address, besides those in memory. */
export const coversDrawn = { attempts: 30, perMinutes: 1 } as const
/** PNG covers in memory, about a hundred kilobytes each. */
export const coversKept = 64
