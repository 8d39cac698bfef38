import { constants } from 'node:fs'

/** The requests of the kernel to a file system in user space: `enum fuse_opcode` of include/uapi/linux/fuse.h, 7.31. */
const opcodes = {
  lookup: 1,
  getattr: 3,
  setattr: 4,
  symlink: 6,
  mkdir: 9,
  unlink: 10,
  rmdir: 11,
  rename: 12,
  open: 14,
  read: 15,
  write: 16,
  release: 18,
  fsync: 20,
  flush: 25,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  create: 35,
  destroy: 38,
} as const
export type Opcode = keyof typeof opcodes

/** The root of every mount. */
export const rootNode = 1n

const requestHeaderBytes = 40
export const replyHeaderBytes = 16

/** `struct fuse_in_header` and what follows it. */
export function requestMessage(opcode: Opcode, unique: bigint, node: bigint, body: Buffer): Buffer {
  const ids = u32s(process.getuid!(), process.getgid!(), process.pid, 0)
  const length = requestHeaderBytes + body.length
  return Buffer.concat([u32s(length, opcodes[opcode]), u64s(unique, node), ids, body])
}

/** `struct fuse_out_header`; undefined while it is incomplete. */
export function replyHeader(data: Buffer): { bytes: number; error: number; unique: bigint } | undefined {
  if (data.length < replyHeaderBytes) return undefined
  return { bytes: data.readUInt32LE(0), error: data.readInt32LE(4), unique: data.readBigUInt64LE(8) }
}

export const u32s = (...values: number[]): Buffer => Buffer.from(new Uint32Array(values).buffer)
export const u64s = (...values: bigint[]): Buffer => Buffer.from(new BigUint64Array(values).buffer)
/** Names end with a zero. */
export const names = (...values: string[]): Buffer =>
  Buffer.from(values.map((value) => `${value}\0`).join(''), 'utf8')

/** Attributes of a mounted file or folder. */
export interface MountedFacts {
  isFolder: boolean
  /** Permission bits. */
  mode: number
  size: number
  /** Seconds since 1970. */
  modifiedAt: number
}

/** `struct fuse_attr` at `at`. */
export function factsAt(data: Buffer, at: number): MountedFacts {
  const mode = data.readUInt32LE(at + 60)
  return {
    isFolder: (mode & constants.S_IFMT) === constants.S_IFDIR,
    mode: mode & 0o7777,
    size: Number(data.readBigUInt64LE(at + 8)),
    modifiedAt: Number(data.readBigUInt64LE(at + 32)),
  }
}

export const entryBytes = 128
/** `struct fuse_entry_out`. */
export const entryOf = (data: Buffer) => ({ node: data.readBigUInt64LE(0), facts: factsAt(data, 40) })

/** Consecutive `struct fuse_dirent`, each padded to eight bytes; and the offset of the next ones. */
export function namesOf(data: Buffer): { names: string[]; next: bigint } {
  const found: string[] = []
  let next = 0n
  for (let at = 0; at + 24 <= data.length;) {
    next = data.readBigUInt64LE(at + 8)
    const length = data.readUInt32LE(at + 16)
    found.push(data.toString('utf8', at + 24, at + 24 + length))
    at += 24 + Math.ceil(length / 8) * 8
  }
  return { names: found, next }
}

/** `FATTR_*`: which fields of a SETATTR are set. */
const settable = { mode: 1 << 0, size: 1 << 3, accessedAt: 1 << 4, modifiedAt: 1 << 5 } as const

/** `struct fuse_setattr_in`. Times in seconds. */
export function setattrBody(wanted: Partial<Record<keyof typeof settable, number>>): Buffer {
  const valid = (Object.keys(wanted) as (keyof typeof settable)[]).reduce(
    (bits, field) => bits | settable[field],
    0,
  )
  const { mode = 0, size = 0, accessedAt = 0, modifiedAt = 0 } = wanted
  return Buffer.concat([
    u32s(valid, 0),
    u64s(0n, BigInt(size), 0n, BigInt(accessedAt), BigInt(modifiedAt), 0n),
    u32s(0, 0, 0, mode, 0, 0, 0, 0),
  ])
}
