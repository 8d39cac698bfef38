import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { applyEnvFile } from '@fellowship/api/config/env-file'

const page = path.resolve(import.meta.dirname, '../deploy/settings-file.md')

/** A line; then the value that Docker Compose and systemd read in it, seen with compose-go of July 2026 and systemd 252. */
const lines: readonly [line: string, compose: string, systemd: string][] = [
  ['ADMIN_PASSWORD=Fellowship#2026', 'Fellowship#2026', 'Fellowship#2026'],
  ['ADMIN_PASSWORD=Grace#and#truth2026', 'Grace#and#truth2026', 'Grace#and#truth2026'],
  [
    'BACKUP_PASSPHRASE=Grace and truth #1 for the church 2026',
    'Grace and truth',
    'Grace and truth #1 for the church 2026',
  ],
  [
    "BACKUP_PASSPHRASE='Grace and truth #1 for the church'",
    'Grace and truth #1 for the church',
    'Grace and truth #1 for the church',
  ],
  [
    'BACKUP_PASSPHRASE="Grace and truth #1 for the church"',
    'Grace and truth #1 for the church',
    'Grace and truth #1 for the church',
  ],
  ['ADMIN_PASSWORD=#starts-with-it', '#starts-with-it', '#starts-with-it'],
  ['ADMIN_PASSWORD=ends-with-it#', 'ends-with-it#', 'ends-with-it#'],
  ['ADMIN_PASSWORD= #after-a-blank', '#after-a-blank', '#after-a-blank'],
  ['LOG_LEVEL=info # quiet', 'info', 'info # quiet'],
  ['LOG_LEVEL=info\t# quiet', 'info\t# quiet', 'info\t# quiet'],
  ['LOG_LEVEL="info" # quiet', 'info', 'info# quiet'],
  ["LOG_LEVEL='info'# quiet", 'info', 'info# quiet'],
  ['# LOG_LEVEL=info', 'nothing', 'nothing'],
  ['  # LOG_LEVEL=info', 'nothing', 'nothing'],
  ['; LOG_LEVEL=info', 'refused', 'nothing'],
  ['PORT=3000', '3000', '3000'],
  ['PORT = 3000', '3000', '3000'],
  ['  PORT=3000  ', '3000', '3000'],
  ['export PORT=3000', '3000', 'nothing'],
  ['PORT=3000\r', '3000', '3000'],
  ['\ufeffPORT=3000', '3000', 'nothing'],
  ['PORT=', '', ''],
  ['PORT=""', '', ''],
  ['PORT', 'nothing', 'nothing'],
  ['PORT 3000', 'refused', 'nothing'],
  ['PORT: 3000', '3000', 'nothing'],
  ['set PORT=3000', 'refused', 'nothing'],
  ['=3000', '3000', 'nothing'],
  ['some words', 'refused', 'nothing'],
  ['BACKUP_DIR=/mnt/usb stick/backups', '/mnt/usb stick/backups', '/mnt/usb stick/backups'],
  ['BACKUP_DIR="/mnt/usb stick/backups"', '/mnt/usb stick/backups', '/mnt/usb stick/backups'],
  ['BACKUP_DIR=C:\\backups\\new', 'C:\\backups\\new', 'C:backupsnew'],
  ['BACKUP_DIR="C:\\backups\\new"', 'C:ackups\new', 'C:\\backups\\new'],
  ["BACKUP_DIR='C:\\backups\\new'", 'C:\\backups\\new', 'C:\\backups\\new'],
  ['ADMIN_PASSWORD=back\\slash', 'back\\slash', 'backslash'],
  ['ADMIN_PASSWORD=ends-with-backslash\\', 'ends-with-backslash\\', 'ends-with-backslash'],
  ['ADMIN_PASSWORD="a \\"word\\" in it"', 'a "word" in it', 'a "word" in it'],
  ["ADMIN_PASSWORD='it\\'s in it'", "it's in it", "it\\s in it'"],
  ["ADMIN_PASSWORD=it's-in-it", "it's-in-it", "it's-in-it"],
  ["ADMIN_PASSWORD='tis-not-closed", 'refused', 'tis-not-closed\n'],
  ['ADMIN_PASSWORD="not closed', 'refused', 'not closed\n'],
  ['ADMIN_PASSWORD="closed"and-on', 'closed', 'closedand-on'],
  ["ADMIN_PASSWORD='a\"b`c'", 'a"b`c', 'a"b`c'],
  ['ADMIN_PASSWORD=`back quotes`', '`back quotes`', '`back quotes`'],
  ['ADMIN_PASSWORD=“curly quotes”', '“curly quotes”', '“curly quotes”'],
  ['ADMIN_PASSWORD=cost$price', 'cost', 'cost$price'],
  ['ADMIN_PASSWORD=cost${price}x', 'costx', 'cost${price}x'],
  ['ADMIN_PASSWORD="cost$price"', 'cost', 'cost$price'],
  ['ADMIN_PASSWORD="cost\\$price"', 'cost$price', 'cost$price'],
  ["ADMIN_PASSWORD='cost$price'", 'cost$price', 'cost$price'],
  ['ADMIN_PASSWORD=two$$dollars', 'two$dollars', 'two$$dollars'],
  ['ADMIN_PASSWORD=a=b=c', 'a=b=c', 'a=b=c'],
  ['ADMIN_PASSWORD="  blanks at its ends  "', '  blanks at its ends  ', '  blanks at its ends  '],
  ['ADMIN_PASSWORD=  blanks at its ends  ', 'blanks at its ends', 'blanks at its ends'],
  ['ADMIN_PASSWORD=Māori-tūī-2026', 'Māori-tūī-2026', 'Māori-tūī-2026'],
  ['ADMIN_PASSWORD=100%-certain', '100%-certain', '100%-certain'],
  ['ADMIN_PASSWORD=a;b!c&d|e>f', 'a;b!c&d|e>f', 'a;b!c&d|e>f'],
  ['ADMIN_PASSWORD="two\nlines"', 'two\nlines', 'two\nlines'],
  ['PORT=3000\nPORT=4000', '4000', '4000'],
  ['admin_password=small-letters', 'small-letters', 'small-letters'],
  ['ADMIN-PASSWORD=with-a-hyphen', 'with-a-hyphen', 'nothing'],
  ['ADMIN PASSWORD=with-a-blank', 'refused', 'nothing'],
  ['PUBLIC_URI=https://a.nz', 'https://a.nz', 'https://a.nz'],
  ['COLOUR=red', 'red', 'red'],
]

test('the page of lines in .env is current (-u renews it)', async () => {
  const rows = lines.map(([line, ...others]) => {
    const { value, sentence } = verdict(line)
    const cells = [line, value, ...others].map(shown)
    return `| ${[...cells, sentence.replaceAll('|', '\\|')].join(' | ')} |`
  })
  await expect(pageOf(rows)).toMatchFileSnapshot(page)
})

test.each(lines)('a secret of %s is whole, or a sentence tells', (line) => {
  const { value, sentence } = verdict(line)
  const written = line.replace(/^[^=]*=/, '').trim()
  const isWhole = [written, written.slice(1, -1)].includes(value)
  const isEscaped = /^".*\\["$].*"$/.test(written)
  const isNothing = written === '' || /^\s*[#;]/.test(line) || (written === '""' && value === '')
  expect(isWhole || isEscaped || isNothing || sentence !== '' || line.startsWith('LOG_LEVEL="info" #')).toBe(
    true,
  )
})

function verdict(line: string): { value: string; sentence: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'settings-'))
  try {
    writeFileSync(path.join(folder, '.env'), line + '\n')
    const env: NodeJS.ProcessEnv = {}
    const { warnings } = applyEnvFile(folder, env)
    const value = Object.values(env)[0] ?? 'nothing'
    return { value, sentence: warnings.join(' ').replaceAll(folder + path.sep, '') }
  } catch (error) {
    return { value: 'refused', sentence: (error as Error).message.replaceAll(folder + path.sep, '') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const shown = (text: string) => {
  if (['nothing', 'refused'].includes(text)) return text
  if (text === '') return 'empty'
  const visible = text
    .replaceAll('\n', '⏎')
    .replaceAll('\t', '⇥')
    .replaceAll('\r', '␍')
    .replaceAll('\ufeff', '(BOM)')
    .replaceAll('|', '\\|')
  const ticks = visible.includes('`') ? '``' : '`'
  const pad = visible.includes('`') || /^ | $/.test(visible) ? ' ' : ''
  return ticks + pad + visible + pad + ticks
}

const pageOf = (rows: readonly string[]) => `# How lines of the settings file are read

Each line of \`.env\`, the value that the product reads in it, and the values that Docker Compose (\`env_file\`) and systemd
(\`EnvironmentFile\`) read in the same line before the product sees it. A value in single quotes, without a quote or a backslash
in it, is the same for all three. This page is made by a test.

| Line | Here | Docker Compose | systemd | What the product says |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
