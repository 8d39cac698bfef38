import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '@fellowship/api/db/database'
import { insertUser } from '@fellowship/api/features/auth/auth.sql'
import { luciaSessions } from '@fellowship/api/machine/sessions'
import { operatorCommand } from '@fellowship/api/testing/server-process'

const root = path.resolve(import.meta.dirname, '../..')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'unlock-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const database = () => openDatabase({ databaseUrl: undefined, dataDir: folder })
const run = (args: string[], env = {}, command = 'admin-unlock') =>
  spawnSync(process.execPath, operatorCommand(command, args), {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DATA_DIR: folder, ...env },
  })

describe('npm run admin:unlock', () => {
  test('admin:unlock explains a missing address or wrong setting', () => {
    expect(run([])).toMatchObject({
      status: 1,
      stderr: 'Say whose account: npm run admin:unlock somebody@example.org\n',
    })
    const { status, stderr } = run(['anna@example.org'], { PORT: 'abc' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/PORT/)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('admin:unlock unlocks an account and audits it', async () => {
    const before = await database()
    await insertUser(before.sql, { email: 'anna@example.org', password: 'x', name: 'Anna', role: 'admin' })
    await before.sql`update users set login_attempts = 5, lock_until = now() + interval '15 minutes'`
    await before.close()

    expect(run(['nobody@example.org'])).toMatchObject({
      status: 1,
      stderr: 'There is no account nobody@example.org.\n',
    })
    expect(run(['Anna@example.org'])).toMatchObject({
      status: 0,
      stdout: 'Anna@example.org can sign in again.\n',
    })

    const after = await database()
    expect(await after.sql`select login_attempts, lock_until from users`).toEqual([
      { loginAttempts: 0, lockUntil: null },
    ])
    expect(await after.sql`select user_id, actor, action, subject from audit_log`).toEqual([
      { userId: null, actor: 'the server’s keeper', action: 'user.unlocked', subject: 'Anna@example.org' },
    ])
    await after.close()
  }, 60_000)

  test('admin:unlock works beside the running product', async () => {
    const running = await database()
    await running.sql`update users set login_attempts = 5, lock_until = now() + interval '15 minutes'`
    // The command waits for its answer, so this process must not: the server is a process of its own.
    expect(run(['anna@example.org'])).toMatchObject({ status: 0, stderr: '' })
    expect(await running.sql`select login_attempts, lock_until from users`).toEqual([
      { loginAttempts: 0, lockUntil: null },
    ])
    await running.close()
  }, 60_000)
})

describe('npm run sign-out:everyone', () => {
  const signOut = (args: string[] = []) => run(args, {}, 'sign-out-everyone')

  test('sign-out:everyone refuses a name', () => {
    expect(signOut(['anna@example.org'])).toMatchObject({
      status: 1,
      stderr: 'This signs everybody out, and takes no name: npm run sign-out:everyone\n',
    })
  })

  test('sign-out:everyone ends every session and audits it', async () => {
    const running = await database()
    const sessions = luciaSessions(running.sql, { secure: false })
    const [user] = await running.sql<{ id: number }[]>`select id from users`
    const cookies = [(await sessions.start(user!.id)).cookie, (await sessions.start(user!.id)).cookie]
    expect(await sessions.read(cookies[0])).toMatchObject({ user: { email: 'anna@example.org' } })
    expect(signOut()).toMatchObject({
      status: 0,
      stdout: '2 sessions were ended. Everybody signs in again.\n',
      stderr: '',
    })
    for (const cookie of cookies) expect(await sessions.read(cookie)).toBeNull()
    const [entry] = await running.sql`select actor, action, subject from audit_log order by id desc limit 1`
    expect(entry).toEqual({ actor: 'the server’s keeper', action: 'sessions.ended', subject: 'everybody' })
    await running.close()
  }, 60_000)
})
