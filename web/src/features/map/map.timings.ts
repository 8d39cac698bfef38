/** Milliseconds to wait for the stylesheet of the map before the address is shown without it. */
export const mapStylesheetWaitMs = 2_000
