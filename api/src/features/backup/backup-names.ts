import { church } from '@fellowship/schema/church'
import { plainDateAt } from '@fellowship/schema/dates'
import { nameSlug } from '@fellowship/schema/text-folding'
import type { Config } from '../../config/config.ts'
import type { Manifest } from './manifest.ts'

/** What a file contains: everything, or the rows alone. */
type FileKind = 'backup' | 'database'

/** `fellowship-backup-2026-11-22.zip`: the church's short name, the kind, the date; with `.age` if it is encrypted. */
export function backupFileName(
  { backupPassphrase }: Pick<Config, 'backupPassphrase'>,
  scope: Manifest['scope'],
  at: Date,
): string {
  const kind: FileKind = scope === 'database' ? 'database' : 'backup'
  const date = plainDateAt(at, church().timeZone)
  return `${prefixOf(church().shortName)}-${kind}-${date}.zip${backupPassphrase === undefined ? '' : '.age'}`
}

/** The prefix of earlier releases, and of a name without letters that every file system, bucket and header accepts. */
const productPrefix = 'fellowship'

const prefixOf = (shortName: string) =>
  nameSlug(shortName)
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-|-$/g, '') || productPrefix

const fileNameLike = /^([a-z0-9-]+)-(backup|database)-(\d{4}-\d\d-\d\d)\.zip(?:\.age)?$/

/** The files of a kind in a place that may hold those of other churches too. */
export interface OwnFiles {
  readonly kind: FileKind
  /** A recorded file for each name that the church has had. */
  readonly recorded: readonly string[]
}

/** The files of a kind that stay: the newest so many up to this one. */
export interface Kept extends OwnFiles {
  readonly keep: number
  readonly newest: string
  /** The newest file without missing or damaged parts. It stays too, as newer ones cannot restore those parts. */
  readonly whole: string | undefined
}

/**
 * The names of backups of this church beyond the limit, oldest first by the date in the name. A date after the newest comes
 * from a clock that ran ahead, and must not displace the newest.
 */
export function oldestOf(names: readonly string[], { kind, keep, newest, whole, recorded }: Kept): string[] {
  const prefixes = prefixesOf(recorded)
  const dateOf = (name: string) => fileNameLike.exec(name)?.[3] ?? '~'
  const known = names
    .filter((name) => {
      const [, prefix = '', of] = fileNameLike.exec(name) ?? []
      return of === kind && prefixes.has(prefix) && dateOf(name) <= dateOf(newest)
    })
    .toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1))
  return known.slice(0, -keep).filter((name) => name !== whole)
}

/** Whether this is the temporary file of one of these. */
export function isPartOf(name: string, { kind, recorded }: OwnFiles): boolean {
  const [, prefix = '', of] = fileNameLike.exec(name.slice(1, -'.part'.length)) ?? []
  return name.startsWith('.') && name.endsWith('.part') && of === kind && prefixesOf(recorded).has(prefix)
}

const prefixesOf = (names: readonly string[]) =>
  new Set([productPrefix, ...names.flatMap((name) => fileNameLike.exec(name)?.[1] ?? [])])
