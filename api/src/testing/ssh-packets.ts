import ssh2 from 'ssh2'
import type { SftpClient } from './sftp-client.ts'

/** A client's SSH_MSG_KEXINIT (RFC 4253, 7.1) with these ciphers to and from the server. */
export function keyExchangeInit(to: readonly string[], from: readonly string[]): Buffer {
  const kex = ['curve25519-sha256']
  const mac = ['hmac-sha2-256']
  const lists = [kex, ['ssh-ed25519'], to, from, mac, mac, ['none'], ['none'], [], []].map((names) => {
    const text = Buffer.from(names.join(','))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return Buffer.concat([length, text])
  })
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...lists, Buffer.alloc(5)])
  const padding = 16 - ((payload.length + 5) % 8)
  const head = Buffer.alloc(5, padding)
  head.writeUInt32BE(payload.length + padding + 1)
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

const { OPEN_MODE } = ssh2.utils.sftp

/** Flags of an OPEN that sends a file from its beginning. */
export const sendWhole = OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.TRUNC

/** The requests of one client about files, one packet each. */
export function fileRequests({ ask }: Pick<SftpClient, 'ask'>) {
  /** OPEN with numeric flags, as FileZilla and others send them. */
  const open = (name: string, flags: number) =>
    ask<Buffer>((sftp, done) => sftp.open(name, flags as unknown as ssh2.OpenMode, done))
  const write = (handle: Buffer, bytes: Buffer, at: number) =>
    ask((sftp, done) => sftp.write(handle, bytes, 0, bytes.length, at, done))
  const close = (handle: Buffer) => ask((sftp, done) => sftp.close(handle, done))
  return {
    open,
    write,
    close,
    read: (handle: Buffer, at: number, length: number) =>
      ask<number>((sftp, done) => sftp.read(handle, Buffer.alloc(length), 0, length, at, done)),
    /** Changes the size of an open file. */
    resize: (handle: Buffer, size: number) => ask((sftp, done) => sftp.fsetstat(handle, { size }, done)),
    put: async (name: string, bytes: Buffer) => {
      const handle = await open(name, sendWhole)
      await write(handle, bytes, 0)
      await close(handle)
    },
    rename: (from: string, to: string) => ask((sftp, done) => sftp.rename(from, to, done)),
    /** A rename that replaces the target. The server does not announce it, and ssh2's client asks only if it does. */
    replace: (from: string, to: string) =>
      ask((sftp, done) => {
        Object.assign((sftp as unknown as { _extensions: object })._extensions, {
          'posix-rename@openssh.com': '1',
        })
        sftp.ext_openssh_rename(from, to, done)
      }),
    remove: (name: string) => ask((sftp, done) => sftp.unlink(name, done)),
    makeFolder: (name: string) => ask((sftp, done) => sftp.mkdir(name, done)),
    removeFolder: (name: string) => ask((sftp, done) => sftp.rmdir(name, done)),
    stat: (name: string) => ask<ssh2.Stats>((sftp, done) => sftp.stat(name, done)),
    names: async (folder: string) =>
      (await ask<ssh2.FileEntryWithStats[]>((sftp, done) => sftp.readdir(folder, done))).map(
        ({ filename }) => filename,
      ),
  }
}
