import { readStored, store } from './site-storage.ts'

/** The form whose words are kept: of which person, of which kind, and of which row. */
export interface DraftKey {
  /** Undefined if no user was signed in. */
  owner: number | undefined
  kind: string
  /** The uid of the row; 'new' for one that does not exist yet. */
  uid: string
}

/** Words that were typed and not saved yet. */
export interface Draft {
  /** When they were typed last, epoch milliseconds. */
  at: number
  /** Those fields of the row as they were when the form opened, and its revision. */
  row: object
  /** The fields that the person changed. */
  words: Readonly<Record<string, unknown>>
}

/**
 * Drafts are kept in localStorage, each under a key of its own, so that two tabs do not overwrite each other's: they survive
 * a reload, a crash of the tab, an update, and an upgrade of the databases.
 */
const prefix = 'draft:'
const mostDrafts = 20
const keptMs = 30 * 86_400_000

const nameOf = ({ owner, kind, uid }: DraftKey) => `${prefix}${owner ?? ''}:${kind}:${uid}`

/** The words of an earlier time; undefined if there are none, or if they are older than 30 days. */
export function readDraft(key: DraftKey, now: number = Date.now()): Draft | undefined {
  return fresh(readStored(nameOf(key)), now)
}

/** Keeps the words; of more than 20 forms, those of the oldest are deleted. */
export function writeDraft(key: DraftKey, draft: Draft): void {
  const name = nameOf(key)
  if (readStored(name) === undefined) sweep(draft.at)
  store(name, draft)
}

/** Deletes the words: they were saved or discarded. */
export const dropDraft = (key: DraftKey): void => store(nameOf(key), undefined)

/** The rows of a person whose forms of this kind have drafts. */
export function draftUids({ owner, kind }: Omit<DraftKey, 'uid'>): string[] {
  const start = nameOf({ owner, kind, uid: '' })
  return storedNames()
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
}

/** Deletes old drafts, and makes room for one more. */
function sweep(now: number): void {
  const found = storedNames().map((name) => ({ name, at: fresh(readStored(name), now)?.at ?? 0 }))
  found.sort((one, other) => other.at - one.at)
  for (const [at, draft] of found.entries())
    if (draft.at === 0 || at >= mostDrafts - 1) store(draft.name, undefined)
}

function storedNames(): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}

function fresh(stored: unknown, now: number): Draft | undefined {
  const { at, row, words } = (stored ?? {}) as Partial<Record<keyof Draft, unknown>>
  if (typeof at !== 'number' || now - at > keptMs) return undefined
  return isObject(row) && isObject(words) ? { at, row, words } : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
