import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkMachine, oddSettings, publicFailures, untilThen } from '@fellowship/api/config/check-machine'
import { parseEnv } from '@fellowship/api/config/config'
import { variableNames } from '@fellowship/api/config/env'
import { applyEnvFile } from '@fellowship/api/config/env-file'
import { bucket, mistakesOf, refused } from '@fellowship/api/testing/wrong-settings'
import { machineFaults } from './machine-faults.ts'

const page = path.resolve(import.meta.dirname, '../deploy/wrong-settings.md')

test('the page of wrong settings is current (-u renews it)', async () => {
  const told = refused.map(([env]) => {
    const sentence = mistakesOf(env)[0]!
    const name = settingOf(sentence)
    const value = (env as Record<string, string | undefined>)[name]
    return [name, value === undefined ? 'not set' : `\`${value}\``, sentence]
  })
  const found = machineFaults().map(({ what, sentence }) => [settingOf(sentence!), what, sentence!])
  const { stops, goesOn } = await seenHere()
  const text = pageOf([...told, ...found, ...stops], goesOn)
  await expect(text).toMatchFileSnapshot(page)
})

test('each listed fault has a sentence', () => {
  const sentences = machineFaults().map(({ sentence }) => sentence)
  expect(sentences).not.toContain(undefined)
  expect(new Set(sentences).size).toBe(sentences.length)
})

/** The variable that a sentence names first. */
function settingOf(sentence: string): string {
  return variableNames.find((name) => new RegExp(`^\\W*${name}\\b`).test(sentence)) ?? '–'
}

/** The faults that need this machine, found by the product’s own code, with paths that are the same everywhere. */
async function seenHere(): Promise<{ stops: string[][]; goesOn: string[][] }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wrong-settings-'))
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const odd = (env: object) => oddSettings(parseEnv({ SFTP_HOST: '127.0.0.1', SFTP_PORT: '0', ...env }))
  const [backups] = await odd({ BACKUP_DIR: '/proc/x' })
  const [sftp] = await odd({ SFTP_PORT: String(port) })
  mkdirSync(path.join(folder, '.env'))
  const unread = await refusal(() => applyEnvFile(folder, {}))
  const uncertain = await refusal(() => {
    const env = { DATABASE_URL: 'postgres://a@b/c', DATABASE_CA: import.meta.filename, DATA_DIR: folder }
    return checkMachine(parseEnv(env))
  })
  taken.close()
  const endpoint = `http://127.0.0.1:${port}`
  const [away] = await checkMachine(
    parseEnv({ ...bucket, S3_ENDPOINT: endpoint, DATA_DIR: folder, PORT: '0', SFTP_HOST: '127.0.0.1' }),
  )
  rmSync(folder, { recursive: true, force: true })
  const [slip] = applyEnvFile(folder, { PUBLIC_URI: 'https://example.org' }).warnings
  const here = (text: string) =>
    text
      .replaceAll(String(port), '2222')
      .replaceAll(String(port + 1), '2223')
      .replaceAll(folder, '/opt/fellowship')
      .replaceAll(import.meta.filename, '/etc/ssl/our-ca.pem')
  const goesOn = [
    ['BACKUP_DIR', 'no rights', here(backups!)],
    ['SFTP_PORT', 'the port is taken', here(sftp!)],
    ['S3_ENDPOINT', 'no store answers', away!.replace(endpoint, bucket.S3_ENDPOINT)],
    ['S3_PUBLIC_URL', 'no way there', `${publicFailures.unreachable('cdn.example.org')} ${untilThen}`],
    ['PUBLIC_URL', 'a slip in its name', here(slip!)],
  ]
  const stops = [
    ['.env', 'cannot be read', here(unread)],
    ['DATABASE_CA', 'no certificate in it', here(uncertain)],
  ]
  return { stops, goesOn }
}

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'It is taken.'
  } catch (error) {
    return (error as Error).message
  }
}

const pageOf = (stops: readonly string[][], others: readonly string[][]) => `# What a wrong setting says

Each wrong setting, and each thing that the machine, the database or the object store has against one, is a sentence that
names the setting and the way out. This page is made from the product's own code by a test, which fails when they differ.

## What stops the start

Nothing else is printed, and the program ends with code 1.

${table(stops)}

## What is told at a start that goes on

${table(others)}
`

function table(rows: readonly string[][]): string {
  const ordered = rows.toSorted(([a], [b]) => a!.localeCompare(b!))
  const lines = ordered.map((cells) => `| ${cells.map(escaped).join(' | ')} |`)
  return ['| Setting | What is wrong | Sentence |', '| --- | --- | --- |', ...lines].join('\n')
}

const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll(/<(?![^`]*`)/g, '\\<')
