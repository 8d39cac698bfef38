/** Messages of the process monitor. */
export const processTexts = {
  healthy: 'Normal: Process usage healthy',
  warning: 'Warning: High process usage',
  critical: 'Critical: Process limit approaching',
  loadFailed: 'Error loading process information',
} as const
