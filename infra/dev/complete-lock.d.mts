interface Lock {
  packages: Record<string, object>
}
export function completeLock(lock: Lock): string[]
export function withoutIntegrity(lock: Lock): string[]
export function addIntegrity(lock: Lock, other: Lock): number
