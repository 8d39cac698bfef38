import { crc32 } from 'node:zlib'
import type { Storage, StoredKind } from '../../machine/storage/storage.ts'

/** The unsigned CRC-32 of a stored file, for recordings that were stored without one. */
export async function storedCrc32(storage: Storage, kind: StoredKind, name: string): Promise<number> {
  await using file = await storage.open(kind, name)
  if (!file) throw new Error(`${name} was removed meanwhile.`)
  let sum = 0
  for await (const chunk of await file.read(0, file.bytes - 1)) sum = crc32(chunk as Buffer, sum)
  return sum
}
