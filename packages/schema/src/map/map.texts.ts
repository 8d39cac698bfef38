/** Messages of the 'Find Us' card. */
export const mapTexts = {
  unavailable: 'Interactive map unavailable',
  hint: 'Tap or click on map to get directions',
} as const
