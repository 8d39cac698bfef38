import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { aRecording, sftpApp } from '../../testing/sftp.ts'
import { isMissing, lftpArgs, opensshOptions } from '../../testing/sftp-programs.ts'
import { authorizedKeysFile } from './sftp.ts'

const app = await sftpApp()
const port = await app.port()
const url = `sftp://uploads@127.0.0.1:${port}`
const titles = async () => (await app.teachings()).map(({ title }) => title)
// '-b' turns BatchMode on, which forbids passwords; the first value of an option wins.
const sftpArgs = ['-o', 'BatchMode=no', '-b', '-', ...opensshOptions(port), 'uploads@127.0.0.1']
const lftp = (commands: string) => app.run('lftp', lftpArgs({ port, password: app.password }, commands))
const rclone = async (...args: string[]) => {
  const { output } = await app.run('rclone', ['obscure', app.password])
  const settings = ['--config', '/dev/null', '--sftp-host', '127.0.0.1', '--sftp-port', String(port)]
  const account = ['--sftp-user', 'uploads', '--sftp-pass', output.trim(), '--sftp-shell-type', 'none']
  return app.run('rclone', [...settings, ...account, '--retries', '1', ...args])
}

test.skipIf(isMissing('sftp'))('sftp of OpenSSH transfers, lists, renames and removes', async () => {
  const recording = await aRecording()
  await app.file('2026-11-22_Ann-Open"By sftp".mp3', recording)
  const commands = [
    'mkdir sent',
    'cd sent',
    `put '2026-11-22_Ann-Open"By sftp".mp3'`,
    'ls -l',
    `get '2026-11-22_Ann-Open"By sftp".mp3' back.mp3`,
    `put '2026-11-22_Ann-Open"By sftp".mp3' by-hand.mp3.part`,
    'rename by-hand.mp3.part other.mp3.part',
    'rm other.mp3.part',
    'cd ..',
    'rmdir sent',
    'ls',
  ]
  const { code, output } = await app.run('sftp', sftpArgs, commands.join('\n'))
  expect(output).toContain(` ${recording.length} `)
  expect(code, output).toBe(0)
  expect((await readFile(path.join(app.folder, 'back.mp3'))).equals(recording)).toBe(true)
  expect(await titles()).toContain('By sftp')
})

test.skipIf(isMissing('sftp'))('sftp of OpenSSH requests 255 KiB at once', async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 900_001 }, (_, at) => (at * 7919) >> 8))
  await app.file('large', bytes)
  const commands = ['put large large.part', 'get large.part large-back', 'rm large.part']
  const { code, output } = await app.run('sftp', ['-vvv', ...sftpArgs], commands.join('\n'))
  expect(code, output).toBe(0)
  expect((await readFile(path.join(app.folder, 'large-back'))).equals(bytes)).toBe(true)
  expect(output).toMatch(/SSH2_FXP_WRITE .* S:261120\b/)
  expect(output).toContain('Received data 0 -> 261119')
})

test.skipIf(isMissing('sftp'))('sftp of OpenSSH resumes a file', async () => {
  const recording = await aRecording()
  const name = '2026-11-22_Ann-Open"Resumed".mp3'
  await app.file('half', recording.subarray(0, 12_000))
  await app.file(name, recording)
  const half = await app.run('sftp', sftpArgs, `put half '${name}'`)
  expect(half.code, half.output).toBe(0)
  expect(await titles()).not.toContain('Resumed')
  const rest = await app.run('sftp', sftpArgs, `reput '${name}'`)
  expect(rest.code, rest.output).toBe(0)
  expect(await titles()).toContain('Resumed')
})

test.skipIf(isMissing('sftp'))('a name in Latin-1 is read as Windows-1252', async () => {
  await app.file('latin1.mp3', await aRecording())
  // The batch is Latin-1 too: the client sends these very bytes.
  const batch = Buffer.from(
    `put latin1.mp3 '2026-05-31_Ren\u00e9e-Latin"Gr\u00e2ce"_Mark_11.mp3'\nget '2026-05-31_Ren\u00e9e-Latin"Gr\u00e2ce"_Mark_11.mp3' latin1-back.mp3`,
    'latin1',
  )
  await writeFile(path.join(app.folder, 'latin1.batch'), batch)
  const args = ['-o', 'BatchMode=no', '-b', 'latin1.batch', ...opensshOptions(port), 'uploads@127.0.0.1']
  const { code, output } = await app.run('sftp', args)
  expect(code, output).toBe(0)
  expect(await readFile(path.join(app.folder, 'latin1-back.mp3'))).toEqual(
    await readFile(path.join(app.folder, 'latin1.mp3')),
  )
  const found = (await app.teachings()).find(({ speaker }) => speaker === 'Renée Latin')
  expect(found).toMatchObject({ title: 'Grâce', scriptureReference: 'Mark 11' })
})

test.skipIf(isMissing('sftp'))('a Latin-1 name is listed in UTF-8, and renamed by that', async () => {
  await app.file('latin1.mp3', await aRecording())
  await app.file('latin1.batch', Buffer.from(`put latin1.mp3 'Ren\u00e9e.part'`, 'latin1'))
  const args = (batch: string) => [
    '-o',
    'BatchMode=no',
    '-b',
    batch,
    ...opensshOptions(port),
    'uploads@127.0.0.1',
  ]
  const sent = await app.run('sftp', args('latin1.batch'))
  expect(sent.code, sent.output).toBe(0)
  const commands = `-ls -1\nrename 'Renée.part' '2026-11-22_Renée-Desk"Listed".mp3'`
  await app.file('utf8.batch', Buffer.from(commands))
  const renamed = await app.run('sftp', args('utf8.batch'))
  expect(renamed.code, renamed.output).toBe(0)
  expect(renamed.output).toMatch(/Renée\.part|Ren\\303\\251e\.part/)
  expect((await app.teachings()).find(({ title }) => title === 'Listed')?.speaker).toBe('Renée Desk')
})

test.skipIf(isMissing('scp'))('scp of OpenSSH uploads and downloads', async () => {
  const recording = await aRecording()
  const name = '2026-11-22_Ann-Open"By scp".mp3'
  await app.file(name, recording)
  const sent = await app.run('scp', ['-p', ...opensshOptions(port), name, 'uploads@127.0.0.1:'])
  expect(sent.code, sent.output).toBe(0)
  const fetched = await app.run('scp', [...opensshOptions(port), `uploads@127.0.0.1:${name}`, 'scp-back.mp3'])
  expect(fetched.code, fetched.output).toBe(0)
  expect((await readFile(path.join(app.folder, 'scp-back.mp3'))).equals(recording)).toBe(true)
  expect(await titles()).toContain('By scp')
})

test.skipIf(isMissing('lftp'))('lftp uploads under another name, renames, lists and removes', async () => {
  await app.file('lftp.mp3', await aRecording())
  const { code, output } = await lftp(
    `put lftp.mp3 -o desk.mp3; mv desk.mp3 "2026-11-22_Ann-Open\\"By lftp\\".mp3"; cls -l; put lftp.mp3 -o x.part; rm x.part; mkdir f; rmdir f`,
  )
  expect(code, output).toBe(0)
  expect(output).toContain('By lftp')
  expect(await titles()).toContain('By lftp')
})

test.skipIf(isMissing('lftp'))('lftp uploads with xfer:use-temp-file', async () => {
  await app.file('lftp2.mp3', await aRecording())
  const { code, output } = await lftp(
    `set xfer:use-temp-file yes; put lftp2.mp3 -o "2026-11-22_Ann-Open\\"By lftp, aside\\".mp3"`,
  )
  expect(code, output).toBe(0)
  expect(await titles()).toContain('By lftp, aside')
})

test.skipIf(isMissing('curl'))('curl uploads, resumes, lists, renames and removes', async () => {
  const recording = await aRecording()
  await app.file('curl.mp3', recording)
  const curl = (...args: string[]) =>
    app.run('curl', ['-sS', '--insecure', '-u', `uploads:${app.password}`, ...args])
  const name = encodeURIComponent('2026-11-22_Ann-Open"By curl".mp3')
  const sent = await curl('-T', 'curl.mp3', `${url}/${name}`)
  expect(sent.code, sent.output).toBe(0)
  expect(await titles()).toContain('By curl')
  const listed = await curl(`${url}/`)
  expect(listed.output).toContain('By curl')
  const other = await curl(
    '-T',
    'curl.mp3',
    `${url}/a.part`,
    '-Q',
    '-rename /a.part /b.part',
    '-Q',
    '-rm /b.part',
  )
  expect(other.code, other.output).toBe(0)
})

test.skipIf(isMissing('rclone'))('rclone copies with verification, lists, renames and removes', async () => {
  await app.file('rclone.mp3', await aRecording())
  const name = '2026-11-22_Ann-Open"By rclone".mp3'
  const sent = await rclone('copyto', 'rclone.mp3', `:sftp:folder/${name}`)
  expect(sent.code, sent.output).toBe(0)
  expect(await titles()).toContain('By rclone')
  const listed = await rclone('lsf', ':sftp:folder')
  expect(listed.output.trim()).toBe(name)
  // A second copy finds the file and sends no bytes.
  const again = await rclone('copyto', 'rclone.mp3', `:sftp:folder/${name}`, '-v', '--size-only')
  expect(again.code, again.output).toBe(0)
  const purged = await rclone('purge', ':sftp:folder')
  expect(purged.code, purged.output).toBe(0)
})

test.skipIf(isMissing('curl'))('refuses a wrong password', async () => {
  const { code, output } = await app.run('curl', ['-sS', '--insecure', '-u', 'uploads:wrong', `${url}/`])
  expect(output).toMatch(/denied|failure|Login/i)
  expect(code).toBe(67)
})

test.skipIf(isMissing('sftp')).each(['ed25519', 'ecdsa', 'rsa'])(
  'only a key (%s) in authorized_keys signs in',
  async (type) => {
    const makeKey = async (name: string, of: string): Promise<string> => {
      // A longer one takes seconds.
      const bits = of === 'rsa' ? ['-b', '2048'] : []
      const { code, output } = await app.run('ssh-keygen', ['-q', '-t', of, ...bits, '-N', '', '-f', name])
      expect(code, output).toBe(0)
      return readFile(path.join(app.folder, `${name}.pub`), 'utf8')
    }
    const listed = await makeKey(`listed-${type}`, type)
    const other = await makeKey(`other-${type}`, 'ed25519')
    const list = (text: string) => writeFile(authorizedKeysFile(app.context.config.dataDir), text)
    // OpenSSH uses the first value if an option is given twice.
    const onlyKeys = ['-o', 'PubkeyAuthentication=yes', '-o', 'PreferredAuthentications=publickey']
    const signIn = (key: string, commands: string) =>
      app.run('sftp', ['-i', key, '-o', 'IdentitiesOnly=yes', ...onlyKeys, ...sftpArgs], commands)
    const expectRefused = async (key: string) => {
      const { code, output } = await signIn(key, 'pwd')
      expect(output).toContain('Permission denied')
      expect(code).toBe(255)
    }

    const title = `By key ${type}`
    await app.file(`2026-11-22_Ann-Open"${title}".mp3`, await aRecording())
    await list(other)
    await expectRefused(`listed-${type}`)
    await list(`# The sound desk\n${other}${listed}`)
    const sent = await signIn(`listed-${type}`, `put '2026-11-22_Ann-Open"${title}".mp3'`)
    expect(sent.code, sent.output).toBe(0)
    expect(await titles()).toContain(title)
    await list('')
    await expectRefused(`listed-${type}`)
  },
)

test('offers no shell, command or forwarding', async () => {
  const { connection } = await app.connect()
  const refusals = await Promise.all([
    new Promise((resolve) => connection.exec('id', (error) => resolve(error?.message))),
    new Promise((resolve) => connection.shell((error) => resolve(error?.message))),
    new Promise((resolve) =>
      connection.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, (error) => resolve(error?.message)),
    ),
    new Promise((resolve) => connection.subsys('other', (error) => resolve(error?.message))),
  ])
  expect(refusals.map((message) => typeof message)).toEqual(['string', 'string', 'string', 'string'])
})
