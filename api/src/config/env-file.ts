import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { secretNames, variableNames } from './env.ts'

interface EnvFile {
  /** Absolute; undefined if there is none. */
  readonly file: string | undefined
  /** A sentence for each line and each real variable that may not mean what it says. */
  readonly warnings: readonly string[]
}

/**
 * Reads `.env` of the working folder into the environment, never over a variable that is set, even if empty. How each kind of
 * line is read, beside Docker Compose and systemd: infra/deploy/settings-file.md.
 *
 * @throws Error with a sentence if the file cannot be read, or a value's quote has no end
 */
export function applyEnvFile(folder = process.cwd(), env: NodeJS.ProcessEnv = process.env): EnvFile {
  const warnings = Object.entries(env).flatMap(([name, value = '']) => {
    if (isSetting.has(name)) return doubtsOf(name, value, 'the environment')
    const meant = name.length < 6 ? undefined : nearName(name)
    return meant ? [`${name} is no setting of this product and has no effect. Did you mean ${meant}?`] : []
  })
  const file = path.join(folder, '.env')
  if (!existsSync(file)) return { file: undefined, warnings }
  const settings = readSettings(read(file), file)
  for (const [name, { value }] of settings.values) env[name] ??= value
  return { file, warnings: [...warnings, ...settings.warnings] }
}

/**
 * The settings of a file, the last one of each name: NAME=value on one line, with or without `export` before it. A value
 * without quotes is the rest of its line, with any # in it. In single quotes all is literal; in double quotes a backslash
 * escapes `"`, `\`, `$` and a backquote. Nothing is expanded.
 */
function readSettings(text: string, file: string) {
  const values = new Map<string, { value: string; line: number }>()
  const warnings: string[] = []
  for (const [at, written] of text.split(/\r\n|\n|\r/).entries()) {
    const line = at + 1
    if (/^\s*(?:[#;]|$)/.test(written)) continue
    const [, name, rest = ''] = /^\s*(?:export\s+)?([^=]*?)\s*=\s*(.*?)\s*$/.exec(written) ?? []
    if (!name) {
      warnings.push(withoutName(written, line, file))
      continue
    }
    if (!known.has(name)) {
      const meant = nearName(name)
      const hint = meant ? `Did you mean ${meant}?` : '.env.example lists them all.'
      warnings.push(`${name} in ${file} is no setting of this product and has no effect. ${hint}`)
      continue
    }
    const earlier = values.get(name)
    if (earlier)
      warnings.push(`${name} is in lines ${earlier.line} and ${line} of ${file}. The last one counts.`)
    const value = valueOf(rest, name, line, file)
    if (value === rest && /\s#/.test(value)) warnings.push(withHash(name, line, file))
    warnings.push(...doubtsOf(name, value, file))
    values.set(name, { value, line })
  }
  return { values, warnings }
}

/** @throws Error with a sentence if a quote has no end on the line, or more than a comment behind it */
function valueOf(text: string, name: string, line: number, file: string): string {
  const quote = /^["']/.exec(text)?.[0]
  if (quote === undefined) return text
  const [, value, behind] = (quote === '"' ? /^"((?:[^"\\]|\\.)*)"(.*)$/ : /^'([^']*)'(.*)$/).exec(text) ?? []
  const wrong =
    value === undefined
      ? `begins with ${quote}, which has no end on that line`
      : /^(?:\s+#.*|\s*)$/.test(behind!)
        ? undefined
        : `goes on behind its closing ${quote}`
  if (wrong !== undefined) {
    const other = quote === '"' ? "'" : '"'
    throw new Error(`${name} in line ${line} of ${file} ${wrong}. Put the whole value between two ${other}.`)
  }
  return quote === '"' ? value!.replaceAll(/\\(["\\$`])/g, '$1') : value!
}

/** The sentence never repeats the line: it may be a secret. */
function withoutName(written: string, line: number, file: string): string {
  const first = /^\s*(?:export\s+)?([\w.-]+)/.exec(written)?.[1] ?? ''
  const meant = known.has(first) ? first : nearName(first)
  const hint = meant ? `Did you mean ${meant}=…?` : 'Begin a comment with #.'
  return `Line ${line} of ${file} is not NAME=value and has no effect. ${hint}`
}

const withHash = (name: string, line: number, file: string) =>
  `${name} in line ${line} of ${file} is read to the end of the line, with its #. Write a comment on a line of its own, or put quotes around the value.`

/** Quotes and blanks that count, though they may not be meant. */
function doubtsOf(name: string, value: string, where: string): string[] {
  const found = []
  if (/^(["'“”„‘’«»]).*["'“”„‘’«»]$/su.test(value)) found.push('is in quotes, which count as part of it')
  if (secretNames.has(name) && value.trim() !== '' && /^\s|[^\S\r\n]$/.test(value))
    found.push('begins or ends with a blank, which counts as part of it')
  return found.map((doubt) => `${name} in ${where} ${doubt}. Remove them if they are not meant.`)
}

const isSetting = new Set<string>(variableNames)

/** With the settings of other programs that belong into the file all the same. */
const known = new Set<string>([...variableNames, 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'])

function read(file: string): string {
  let bytes
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `${file} cannot be read (${code}). Make it readable for the user that starts this, or remove it.`,
    )
  }
  try {
    // The decoder leaves a byte order mark away.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // The sentence below is for both.
  }
  throw new Error(`${file} is not in UTF-8, so its settings cannot be read. Save it with that encoding.`)
}

/** The setting that was probably meant; short names are near to too many others. */
function nearName(name: string): string | undefined {
  if (known.has(name)) return undefined
  const plain = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  if (known.has(plain)) return plain
  if (plain.length < 6) return undefined
  return variableNames.find((wanted) => wanted.length >= 6 && distance(plain, wanted) <= 2)
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const here = [row]
    for (let at = 1; at <= other.length; at++) {
      const replaced = above[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1)
      here.push(Math.min(replaced, above[at]! + 1, here[at - 1]! + 1))
    }
    above = here
  }
  return above[other.length]!
}
