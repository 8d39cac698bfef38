export function memoryFolder(options?: {
  base?: string
  roomBytes?: number
  python?: string
}): string | undefined
export function removeMemoryFolder(folder: string): void
