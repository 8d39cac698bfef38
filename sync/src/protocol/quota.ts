/** Whether storage is full. Dexie wraps the error; its class changed in 2025, its name did not. */
export function isQuota(error: unknown): boolean {
  const { name, inner } = (error ?? {}) as { name?: string; inner?: { name?: string } }
  return name === 'QuotaExceededError' || inner?.name === 'QuotaExceededError'
}
