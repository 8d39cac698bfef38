/** Whether the device had no room. Dexie wraps the browser's error; the class became one of its own in 2025, the name stayed. */
export function isQuota(error: unknown): boolean {
  const { name, inner } = (error ?? {}) as { name?: string; inner?: { name?: string } }
  return name === 'QuotaExceededError' || inner?.name === 'QuotaExceededError'
}
