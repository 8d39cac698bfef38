import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { freePort } from '@fellowship/api/testing/free-port'
import { longWav } from '@fellowship/api/testing/long-wav'
import { startServer } from '@fellowship/api/testing/server-process'
import { lftpArgs, opensshOptions } from '@fellowship/api/testing/sftp-programs'
import { mountSshfs } from '@fellowship/api/testing/sshfs'
import { copyStarted } from '@fellowship/api/testing/started-folder'
import { nightly } from '../../e2e/support/in-soak.ts'

/** Sends a file under its name; resolves to whether the client was told OK. */
type Send = (name: string) => Promise<boolean>

const minutes = 60_000

nightly(
  'files that clients got OK for are published or in the Inbox in five minutes',
  async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'sftp-killed-'))
    const folder = await mkdtemp(path.join(tmpdir(), 'sftp-desk-'))
    onTestFinished(async () => {
      for (const each of [dataDir, folder]) await rm(each, { recursive: true, force: true, maxRetries: 5 })
    })
    await copyStarted(dataDir)
    const port = await freePort()
    const start = () => startServer(dataDir, { SFTP_PORT: String(port) })
    let server = await start()
    onTestFinished(async () => void (await server.stop()))
    const open = async () => {
      const admin = await server.signIn()
      await call(sftp.start, {}, admin).catch(() => undefined)
      return { admin, ...(await call(sftp.credentials, {}, admin)) }
    }
    const found = async () => {
      const admin = await server.signIn()
      const { items } = await call(inbox.list, {}, admin)
      const rows = await call(teachings.list, {}, { fetch, base: server.url })
      return [...items.map(({ filename }) => filename), ...rows.map(({ title }) => title)]
    }

    const { password } = await open()
    const askpass = path.join(folder, 'askpass')
    await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`)
    await chmod(askpass, 0o700)
    const env = {
      ...process.env,
      HOME: folder,
      SSH_ASKPASS: askpass,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: ':0',
    }
    const run = (program: string, args: readonly string[], input = '') =>
      new Promise<boolean>((resolve) => {
        const child = execFile(program, args, { cwd: folder, env, timeout: minutes }, (error) =>
          resolve(!error),
        )
        child.stdin!.on('error', () => undefined)
        child.stdin!.end(input)
      })
    const obscured = await new Promise<string>((resolve, reject) =>
      execFile('rclone', ['obscure', password], (error, out) =>
        error ? reject(error) : resolve(out.trim()),
      ),
    )
    const account = ['--sftp-host', '127.0.0.1', '--sftp-port', String(port), '--sftp-user', 'uploads']
    const rclone = ['--config', '/dev/null', ...account, '--sftp-pass', obscured, '--sftp-shell-type', 'none']
    const clients: Record<string, Send> = {
      sftp: (name) =>
        run(
          'sftp',
          ['-o', 'BatchMode=no', '-b', '-', ...opensshOptions(port), 'uploads@127.0.0.1'],
          `put '${name}'`,
        ),
      scp: (name) => run('scp', [...opensshOptions(port), name, 'uploads@127.0.0.1:']),
      lftp: (name) => run('lftp', lftpArgs({ port, password }, `put ${JSON.stringify(name)}`)),
      curl: (name) =>
        run('curl', [
          '-sS',
          '--insecure',
          '-u',
          `uploads:${password}`,
          '-T',
          name,
          `sftp://127.0.0.1:${port}/${encodeURIComponent(name)}`,
        ]),
      rclone: (name) => run('rclone', [...rclone, '--retries', '1', 'copyto', name, `:sftp:${name}`]),
      sshfs: async (name) => {
        const mount = await mountSshfs({ port, env })
        const isSent = await mount.create(`/${name}`, bytes.get(name)!).then(
          () => true,
          () => false,
        )
        await mount.unmount().catch(() => undefined)
        return isSent
      },
    }

    const bytes = new Map<string, Buffer>()
    let made = 0
    const ok = new Set<string>()
    const sendBy = async (client: string, nameOf: (client: string) => string, length = 600_000) => {
      const name = nameOf(client)
      bytes.set(name, Buffer.concat([...longWav(600_000, (made += 1))]).subarray(0, length))
      await writeFile(path.join(folder, name), bytes.get(name)!)
      if (await clients[client]!(name)) ok.add(name)
    }
    const sendAll = async (nameOf: (client: string) => string, length?: number) => {
      for (const client of Object.keys(clients)) await sendBy(client, nameOf, length)
    }

    await sendAll((client) => `2026-11-22_Sam-Desk"Whole ${client}".wav`)
    await sendAll((client) => `Sunday by ${client}.wav`)
    // The kill comes when some of them have got OK and others are on their way.
    const killed = (client: string) => `2026-11-22_Sam-Desk"Killed ${client}".wav`
    const sending = Promise.all(Object.keys(clients).map((client) => sendBy(client, killed)))
    await expect.poll(() => [...ok].some((name) => name.includes('Killed')), { timeout: minutes }).toBe(true)
    await server.kill()
    await sending
    server = await start()
    await open()
    await sendAll((client) => `2026-11-22_Sam-Desk"Cut ${client}".wav`, 400_000)
    // The window closes, and opens again; everything is sent once more.
    await call(sftp.stop, {}, await server.signIn())
    await open()
    for (const name of [...bytes.keys()].filter((each) => each.includes('Whole')))
      await clients['curl']!(name)

    expect([...ok].filter((name) => /Whole|Sunday|Cut/.test(name))).toHaveLength(
      3 * Object.keys(clients).length,
    )
    const isFound = (names: readonly string[], name: string) =>
      names.some((each) => each === name || name.includes(`"${each}"`))
    await expect
      .poll(
        async () => {
          const names = await found()
          return [...ok].filter((name) => !isFound(names, name))
        },
        { timeout: 5 * minutes, interval: 2_000 },
      )
      .toEqual([])
    const names = await found()
    for (const client of Object.keys(clients))
      expect(names.filter((name) => name === `Whole ${client}`)).toHaveLength(1)
    await expect
      .poll(() => readdir(path.join(dataDir, 'sftp-staging')), { timeout: 5 * minutes, interval: 2_000 })
      .toEqual([])
  },
  15 * minutes,
)
