import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import { fuseKernel } from './fuse-kernel.ts'
import { names, rootNode, u32s } from './fuse-messages.ts'
import { fileCalls, folderCalls } from './sshfs-calls.ts'

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
    // where there is nothing to read yet, and sshfs exits with 1 without a message.
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
