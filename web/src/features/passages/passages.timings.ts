export const popoverTimings = { widthPx: 384, hideDelayMs: 150, screenMarginPx: 16 } as const
