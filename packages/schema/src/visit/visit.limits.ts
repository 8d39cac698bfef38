/** Column lengths. Short enough to stay readable on a phone. */
export const visitLimits = { text: 2_000, phone: 30 } as const
