import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { textOf, wordNames, type TeachingPatch } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { AskedRequest } from './requests.ts'

/** The last acknowledged state of a teaching. */
type Known = { rev: number; row: Teaching } | { rev: number; row: undefined }

/** The certain state when a backup began, and the teachings that changed during it. */
interface BackupMark {
  readonly known: ReadonlyMap<string, Known>
  readonly touched: Set<string>
  isDone: boolean
}

/**
 * All changes that the server has acknowledged to the devices of a history, compared with its rows. A write without an answer is
 * open: it may have happened or not.
 */
export class Ledger {
  #known = new Map<string, Known>()
  /** Keys of open writes, with their teachings. */
  readonly #open = new Map<string, string>()
  /** The SHA-256 of every recording that was sent, by the uid of its teaching. */
  readonly #recordings = new Map<string, string>()
  #backup: BackupMark | undefined
  /** The SHA-256 of recordings whose teachings a restore took away: their files stay for the cleanup. */
  readonly undone = new Set<string>()

  /** A recording is about to be sent. */
  sends(uid: string, sha256: string): void {
    this.#recordings.set(uid, sha256)
  }

  /** A request leaves the device. */
  asked({ key, uid }: Pick<AskedRequest, 'key' | 'uid'>): void {
    if (key === undefined || uid === undefined) return
    this.#open.set(key, uid)
    this.#touch(uid)
  }

  /** Its whole answer arrived. */
  answered({ ask, key, uid }: AskedRequest, status: number, body: string): void {
    if (key === undefined || uid === undefined || status >= 500) return
    // A session that has ended or a stale token: the same request is sent again.
    if (status === 401 || (status === 403 && body.includes('csrf'))) return
    this.#open.delete(key)
    this.#touch(uid)
    if (status !== 200) return
    const answer = JSON.parse(body) as Teaching & { teaching?: Teaching }
    const row = ask === 'delete' ? undefined : (answer.teaching ?? answer)
    const before = this.#known.get(uid)
    if (!before || answer.rev > before.rev || (row && row.rev > before.rev))
      this.#known.set(uid, { rev: row?.rev ?? answer.rev, row })
  }

  /** A backup begins, which `restored` will compare with the state known now. */
  backupBegins(): void {
    this.#backup = { known: new Map(this.#known), touched: new Set(this.#open.values()), isDone: false }
  }

  /** Later writes are not in the backup. */
  backupIsDone(): void {
    this.#backup!.isDone = true
  }

  /** Whether a write of this teaching is open. */
  isOpen(uid: string): boolean {
    return [...this.#open.values()].includes(uid)
  }

  /**
   * Compares the server's library with the acknowledged changes, while writes may be open.
   *
   * @throws Error naming the teaching that is lost, changed, doubled or unasked for
   */
  check(rows: readonly Teaching[]): void {
    this.#compare(rows, this.#known, (uid) => this.isOpen(uid))
  }

  /** The same when every write has been answered. */
  checkSettled(rows: readonly Teaching[]): void {
    if (this.#open.size > 0) throw new Error(`never answered: ${[...this.#open.keys()].join(', ')}`)
    this.check(rows)
  }

  /** After the backup was restored: its rows exist, and are the known state from now on. */
  restored(rows: readonly Teaching[]): void {
    const { known, touched } = this.#backup!
    // A restore gives every row a revision after those that devices may have seen.
    const expected = new Map([...known].map(([uid, { row }]) => [uid, { rev: 0, row }]))
    this.#compare(rows, expected, (uid) => touched.has(uid))
    this.#known = new Map(rows.map((row) => [row.uid, { rev: row.rev, row }]))
    for (const [uid, sha256] of this.#recordings) if (!this.#known.has(uid)) this.undone.add(sha256)
  }

  /**
   * Reads every recording from the disk.
   *
   * @throws Error naming the teaching whose recording is missing or has other bytes than were sent
   */
  async checkRecordings(rows: readonly Teaching[], dataDir: string): Promise<void> {
    for (const { uid, audioUrl } of rows) {
      const bytes = await readFile(path.join(dataDir, audioUrl!.slice(1))).catch(() => undefined)
      if (!bytes) throw new Error(`the recording of ${uid} is missing`)
      if (createHash('sha256').update(bytes).digest('hex') !== this.#recordings.get(uid))
        throw new Error(`the recording of ${uid} has other bytes than those that were sent`)
    }
  }

  #touch(uid: string): void {
    if (this.#backup?.isDone === false) this.#backup.touched.add(uid)
  }

  #compare(
    rows: readonly Teaching[],
    known: ReadonlyMap<string, Known>,
    mayDiffer: (uid: string) => boolean,
  ): void {
    const there = new Map(rows.map((row) => [row.uid, row]))
    if (there.size < rows.length) throw new Error('two teachings have one uid')
    if (new Set(rows.map(({ audioUrl }) => audioUrl)).size < rows.length)
      throw new Error('one recording became two teachings')
    for (const [uid, { rev, row }] of known) {
      const now = there.get(uid)
      if (now && now.rev < rev) throw new Error(`${uid} is at revision ${now.rev}, ${rev} was acknowledged`)
      if (mayDiffer(uid)) continue
      if (row && !now) throw new Error(`${uid}, acknowledged at revision ${rev}, is lost`)
      if (!row && now) throw new Error(`${uid}, whose deletion was acknowledged, is there`)
      if (row && now && (differs(row, now) || (rev > 0 && now.rev !== rev)))
        throw new Error(`${uid} differs from what was acknowledged: ${JSON.stringify([row, now])}`)
    }
    const unasked = rows.find(({ uid }) => !known.has(uid) && !mayDiffer(uid))
    if (unasked) throw new Error(`${unasked.uid} is there, and nobody was told so`)
  }
}

/** Whether an edit's words are those of a row. */
export function hasWords(row: Teaching, words: TeachingPatch): boolean {
  const text = textOf(row)
  return wordNames.every((name) => words[name] === undefined || words[name] === text[name])
}

const differs = (one: Teaching, other: Teaching) =>
  one.audioUrl !== other.audioUrl || !hasWords(one, textOf(other))
