export function completeLock(lock: { packages: Record<string, object> }): string[]
