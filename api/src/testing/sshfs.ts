import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import { fuseKernel, type AskFileSystem } from './fuse-kernel.ts'
import {
  entryBytes,
  entryOf,
  factsAt,
  names,
  namesOf,
  rootNode,
  setattrBody,
  u32s,
  u64s,
  type MountedFacts,
} from './fuse-messages.ts'

export type Mount = Awaited<ReturnType<typeof mountSshfs>>

interface MountOptions {
  port: number
  /** Holds the password for ssh. */
  env: NodeJS.ProcessEnv
  folder?: string
}

/**
 * A mount by the real sshfs with the real ssh, on machines without FUSE too: given '/dev/fd/3' as its mount point, sshfs
 * speaks the kernel's protocol on that descriptor, and the requests of the kernel are sent from here.
 */
export async function mountSshfs(options: MountOptions) {
  const { sshfs, stream, ended } = startSshfs(options)
  const ask = fuseKernel(stream, ended)
  // Version 7.31; read ahead; FUSE_ASYNC_READ, FUSE_ATOMIC_O_TRUNC, FUSE_BIG_WRITES and nothing that needs a real device.
  await ask('init', 0n, u32s(7, 31, 128 * 1024, (1 << 0) | (1 << 3) | (1 << 5)))

  return {
    ...fileCalls(ask),
    ...folderCalls(ask),
    /** Looks up a name that no path can contain: the kernel would never send it. */
    lookUpName: (name: string) => ask('lookup', rootNode, names(name)),
    async unmount(): Promise<void> {
      await ask('destroy', rootNode)
      sshfs.kill('SIGTERM')
      await ended
    },
  }
}

function startSshfs({ port, env, folder = '/' }: MountOptions) {
  const options = [
    `port=${port}`,
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'PubkeyAuthentication=no',
    // No answer comes from sshfs's own cache.
    'dir_cache=no',
  ]
  const args = [
    '-f',
    // One thread. With more, libfuse 3.14 starts the second reader while the first still works at INIT, and for a moment
    // lets that one splice(2) into a pipe that does not block: from a socket, not from the real device, this gives EAGAIN
    // if there is nothing to read yet, and sshfs exits with 1 without a message.
    '-s',
    ...options.flatMap((option) => ['-o', option]),
    `${sftpAccount.username}@127.0.0.1:${folder}`,
    '/dev/fd/3',
  ]
  const sshfs = spawn('sshfs', args, { env, stdio: ['ignore', 'inherit', 'pipe', 'pipe'] })
  let complaints = ''
  sshfs.stderr!.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const ended = once(sshfs, 'close').then(
    ([code, signal]) => new Error(`sshfs ended with ${code ?? signal}: ${complaints || 'no message'}`),
    (error: Error) => error,
  )
  const stream = sshfs.stdio[3] as Duplex
  stream.on('error', () => undefined)
  return { sshfs, stream, ended }
}

/** Small enough for a socket not to split it, and the size the kernel sends for small files. */
const pieceBytes = 16 * 1024

/** File system calls on the files of a mount. */
function fileCalls(ask: AskFileSystem) {
  const { nodeOf, folderOf } = nodes(ask)
  const write = async (node: bigint, handle: bigint, bytes: Buffer, from: number) => {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      const head = [u64s(handle, BigInt(from + at)), u32s(piece.length, 0), u64s(0n), u32s(0, 0)]
      const answer = await ask('write', node, Buffer.concat([...head, piece]))
      if (answer.readUInt32LE(0) !== piece.length) throw new Error('sshfs wrote less than it was given.')
    }
  }
  /** As close(2), which reports failed writes. */
  const close = async (node: bigint, handle: bigint) => {
    const flushed = ask('flush', node, Buffer.concat([u64s(handle, 0n, 0n)]))
    const released = ask('release', node, Buffer.concat([u64s(handle), u32s(0, 0), u64s(0n)]))
    await Promise.all([flushed, released])
  }
  const open = async (node: bigint, flags: number) =>
    (await ask('open', node, u32s(flags, 0))).readBigUInt64LE(0)

  return {
    /** As `cp` to a new file. */
    async create(file: string, bytes: Buffer): Promise<void> {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      const body = Buffer.concat([u32s(flags, 0o100_644, 0o022, 0), base(file)])
      const created = await ask('create', await folderOf(file), body)
      const { node } = entryOf(created)
      const handle = created.readBigUInt64LE(entryBytes)
      await write(node, handle, bytes, 0)
      await close(node, handle)
    },
    /** As `cp` over an existing file, or with `from` as `dd seek=… conv=notrunc`. */
    async write(file: string, bytes: Buffer, from?: number): Promise<void> {
      const node = await nodeOf(file)
      const handle = await open(node, constants.O_WRONLY | (from === undefined ? constants.O_TRUNC : 0))
      try {
        await write(node, handle, bytes, from ?? 0)
        await ask('fsync', node, Buffer.concat([u64s(handle), u32s(0, 0)]))
      } finally {
        await close(node, handle)
      }
    },
    /** `length` bytes from `from` on, in one request; fewer at the end. */
    async readAt(file: string, from: number, length: number): Promise<Buffer> {
      const node = await nodeOf(file)
      const handle = await open(node, constants.O_RDONLY)
      const bytes = await ask('read', node, readBody(handle, from, length))
      await close(node, handle)
      return bytes
    },
    async read(file: string): Promise<Buffer> {
      const node = await nodeOf(file)
      const handle = await open(node, constants.O_RDONLY)
      const pieces: Buffer[] = []
      for (let at = 0; ; at += pieces.at(-1)!.length) {
        const piece = await ask('read', node, readBody(handle, at, 128 * 1024))
        if (piece.length === 0) break
        pieces.push(piece)
      }
      await close(node, handle)
      return Buffer.concat(pieces)
    },
    async facts(file: string): Promise<MountedFacts> {
      const node = await nodeOf(file)
      return factsAt(await ask('getattr', node, Buffer.alloc(16)), 16)
    },
    async change(file: string, wanted: Parameters<typeof setattrBody>[0]): Promise<void> {
      await ask('setattr', await nodeOf(file), setattrBody(wanted))
    },
  }
}

/** File system calls on the folders and names of a mount. */
function folderCalls(ask: AskFileSystem) {
  const { nodeOf, folderOf } = nodes(ask)
  return {
    async list(folder: string): Promise<string[]> {
      const node = await nodeOf(folder)
      const handle = (await ask('opendir', node, u32s(constants.O_DIRECTORY, 0))).readBigUInt64LE(0)
      const found: string[] = []
      for (let from = 0n; ;) {
        const part = namesOf(await ask('readdir', node, readBody(handle, from, 4096)))
        if (part.names.length === 0) break
        found.push(...part.names)
        from = part.next
      }
      await ask('releasedir', node, Buffer.concat([u64s(handle), u32s(0, 0), u64s(0n)]))
      return found.filter((name) => name !== '.' && name !== '..').sort()
    },
    async makeFolder(folder: string): Promise<void> {
      await ask('mkdir', await folderOf(folder), Buffer.concat([u32s(0o755, 0o022), base(folder)]))
    },
    async removeFolder(folder: string): Promise<void> {
      await ask('rmdir', await folderOf(folder), base(folder))
    },
    async remove(file: string): Promise<void> {
      await ask('unlink', await folderOf(file), base(file))
    },
    async rename(from: string, to: string): Promise<void> {
      const [source, target] = [await folderOf(from), await folderOf(to)]
      await ask('rename', source, Buffer.concat([u64s(target), base(from), base(to)]))
    },
    async link(target: string, file: string): Promise<void> {
      await ask('symlink', await folderOf(file), Buffer.concat([base(file), names(target)]))
    },
  }
}

function nodes(ask: AskFileSystem) {
  /** Looks up the node of a path name by name, as the kernel does. */
  const lookUp = async (file: string) => {
    let found = { node: rootNode, facts: undefined as MountedFacts | undefined }
    for (const name of file.split('/').filter(Boolean))
      found = entryOf(await ask('lookup', found.node, names(name)))
    return found
  }
  const nodeOf = async (file: string) => (await lookUp(file)).node
  const folderOf = (file: string) => nodeOf(path.posix.dirname(file))
  return { nodeOf, folderOf }
}

const base = (file: string) => names(path.posix.basename(file))

/** `struct fuse_read_in`. */
const readBody = (handle: bigint, from: number | bigint, length: number): Buffer =>
  Buffer.concat([u64s(handle, BigInt(from)), u32s(length, 0), u64s(0n), u32s(0, 0)])
