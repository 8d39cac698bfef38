/** Milliseconds: the button ignores a second click within 5 s, and is locked for 2 s. */
export const downloadTimings = { debounceMs: 5_000, lockMs: 2_000 } as const
