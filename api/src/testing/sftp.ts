import { execFile, type ExecFileException } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import { sftpPassword, sftpStatus } from '../features/sftp/sftp.ts'
import { startSftp } from '../features/sftp/sftp-server.ts'
import { liveTeachings } from '../features/teachings/teachings.ts'
import { fixture } from './multipart.ts'
import { connectClient, type SftpClient } from './sftp-client.ts'
import type { Environment } from '../config/env.ts'
import { testApp } from './test-app.ts'

/** A Sunday at noon in Auckland, when the upload window is open. */
const sundayNoon = '2026-11-22T12:00:00+13:00'

/** The API with its SFTP server, with the clock at `time`, and a folder for the clients' files. */
export async function sftpApp(time = sundayNoon, env: Environment = {}) {
  const app = await testApp({ SFTP_HOST: '127.0.0.1', SFTP_PORT: '0', ...env })
  app.clock.set(time)
  const serving = await startSftp(app.context)
  const folder = await mkdtemp(path.join(tmpdir(), 'sftp-client-'))
  afterAll(async () => {
    await serving.close()
    await rm(folder, { recursive: true, force: true })
  })
  const askpass = path.join(folder, 'askpass')
  const password = await sftpPassword(app.context)
  await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`)
  await chmod(askpass, 0o700)
  /** Environment that gives OpenSSH the password without a prompt. */
  const programEnv = {
    ...process.env,
    HOME: folder,
    SSH_ASKPASS: askpass,
    SSH_ASKPASS_REQUIRE: 'force',
    DISPLAY: ':0',
  }
  const port = async () => (await sftpStatus(app.context)).port
  return {
    ...app,
    serving,
    folder,
    password,
    programEnv,
    port,
    staging: app.context.storage.inbox.dropFolder,
    teachings: () => liveTeachings(app.context.sql),
    /** Runs an installed client; returns its exit code and output. */
    run: (program: string, args: readonly string[], input?: string) =>
      runProgram(program, args, { cwd: folder, env: programEnv, input }),
    /** Writes a file for a client to send. */
    async file(name: string, bytes: Uint8Array): Promise<string> {
      const file = path.join(folder, name)
      await writeFile(file, bytes)
      return file
    },
    /** A connection of ssh2's client; closed after the file's tests. */
    async connect(
      as: { username?: string; password?: string; localAddress?: string } = {},
    ): Promise<SftpClient> {
      const client = await connectClient({
        port: await port(),
        username: sftpAccount.username,
        password,
        ...as,
      })
      afterAll(() => void client.connection.end())
      return client
    },
  }
}

/** A unique recording: the fixture with its own ID3v1 tag. */
export async function aRecording(name = 'cbr.mp3'): Promise<Buffer> {
  const tag = Buffer.alloc(128)
  tag.write(`TAG${randomBytes(12).toString('hex')}`, 'latin1')
  return Buffer.concat([await fixture(name), tag])
}

function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: NodeJS.ProcessEnv; input: string | undefined },
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const failed = error as ExecFileException | null
      // A client that is not installed is an error, not a refusal.
      if (failed?.code === 'ENOENT') return reject(new Error(`${program} is not installed.`))
      resolve({
        code: typeof failed?.code === 'number' ? failed.code : failed ? 1 : 0,
        output: stdout + stderr,
      })
    })
    // A refused client may exit before it has read its input: its exit code is enough.
    child.stdin!.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') reject(error)
    })
    child.stdin!.end(input ?? '')
  })
}
