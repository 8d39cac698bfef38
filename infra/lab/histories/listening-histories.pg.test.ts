import 'fake-indexeddb/auto'
import type {} from '@fellowship/api/testing/pg-global-setup'
import { testApp } from '@fellowship/api/testing/test-app'
import { renewEpoch } from '@fellowship/api/features/sync/sync'
import { users } from '@fellowship/schema/users/users.contract'
import { keyOfChange, type ListeningChange } from '@fellowship/schema/listening/listening.schema'
import { call } from '@fellowship/sync/call/call'
import { notePosition, writeMark } from '@fellowship/sync/client/listening/listening.store'
import {
  claimAnonymous,
  readAccount,
  readChanges,
  readOwner,
} from '@fellowship/sync/client/listening/listening-accounts'
import { removeNote, writeNote } from '@fellowship/sync/client/listening/notes.store'
import { writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { isSameRow, mapStamps, mergeChanges } from '@fellowship/sync/protocol/listening-changes'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import { expect, test } from 'vitest'
import { idOf, Phone, sortedMembers, type Line, type Person } from './listening-phone.ts'

// `LISTENING_SEED=17 LISTENING_HISTORIES=1 npx vitest run listening-histories` replays one history.
const firstSeed = Number(process.env['LISTENING_SEED'] ?? 0)
const histories = Number(process.env['LISTENING_HISTORIES'] ?? 6)
const steps = 60

const app = await testApp()
const { sql } = app.context
const administrator = await app.signedIn('admin')
const people: Person[] = [await app.signedIn(), await app.signedIn()]
const ids = await Promise.all(people.map(idOf))
const time = () => app.clock.now().getTime()
const hour = 3_600_000
const uids = [1, 2, 3].map((digit) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`)

test.each(Array.from({ length: histories }, (_, at) => firstSeed + at))(
  'history %i of three phones with wrong clocks converges',
  { timeout: 120_000 },
  async (seed) => {
    await sql`delete from listening_rows`
    await sql`delete from listening_accounts`
    const history = new History(seededRandom(seed))
    for (let step = 0; step < steps; step += 1) await history.step()
    await history.settle()
    await history.leave()
  },
)

interface Backup {
  accounts: Record<string, unknown>[]
  rows: Record<string, unknown>[]
}

class History {
  readonly #random: Random
  readonly #phones: readonly Phone[]
  /** Who listened to a second or wrote a note, and when it truly was. Each second and each text is there once. */
  readonly #truth = new Map<string, { owner: number; at: number }>()
  /** The last rows that each phone showed of each owner. */
  readonly #seen = new Map<string, Map<string, ListeningChange>>()
  #made = 100
  #backup: Backup = { accounts: [], rows: [] }

  constructor(random: Random) {
    this.#random = random
    this.#phones = [0, 50 * hour, -7 * hour].map((wrong) => new Phone('history', time, wrong))
  }

  /** Something happens on one of the phones, or to the server. */
  async step(): Promise<void> {
    app.clock.advance(1000 + this.#random.int(600_000))
    const phone = this.#random.pick(this.#phones)
    await this.#happen(phone)
    await this.#look(phone)
    for (const id of ids) this.#isOnlyOf(id, await this.#server(id))
  }

  /** Everyone signs in everywhere, and turns sync with the account on. */
  async settle(): Promise<void> {
    for (const [at, person] of people.entries()) {
      for (const phone of this.#phones) {
        await phone.signIn(person)
        await phone.sync()
      }
      const [first] = this.#phones
      if (!(await readAccount(first!.db, ids[at]!))?.on) await this.#turnOn(first!)
      for (const phone of [...this.#phones, ...this.#phones]) {
        app.clock.advance(1000)
        await phone.sync()
        await this.#look(phone)
      }
      const held = (await this.#server(ids[at]!))
        .map((change) => JSON.stringify(change, sortedMembers))
        .sort()
      for (const phone of this.#phones) {
        expect(await phone.shown()).toEqual({ owner: ids[at], rows: held })
        expect(await phone.unsent()).toBe(0)
      }
    }
  }

  /** The person who is signed in everywhere by now has the account deleted, with all that it held. */
  async leave(): Promise<void> {
    const [stays, leaves] = [ids[0]!, ids[1]!]
    await this.#listen(this.#phones[0]!, uids[0]!)
    await this.#phones[0]!.sync()
    const [staying, leaving] = [await this.#server(stays), await this.#server(leaves)]
    for (const phone of this.#phones) expect((await phone.shown()).owner).toBe(leaves)
    expect(leaving).not.toEqual([])
    await this.#deleteAccount(1)
    expect(await this.#server(stays)).toEqual(staying)
    for (const phone of this.#phones) {
      await phone.signIn(people[1]!)
      await phone.sync()
      await phone.signIn(people[0]!)
      await phone.sync()
      await this.#look(phone)
    }
    expect(await this.#server(ids[1]!)).toEqual([])
    expect(await this.#server(stays)).toEqual(staying)
  }

  async #happen(phone: Phone): Promise<void> {
    const kind = this.#random.int(24)
    const { db } = phone
    const uid = this.#random.pick(uids)
    if (kind < 5) await this.#listen(phone, uid)
    else if (kind < 7) await this.#write(phone, uid)
    else if (kind < 8) await this.#remove(phone)
    else if (kind < 10)
      await writeMark(
        uid,
        this.#random.pick(['favourite', 'heard'] as const),
        this.#random.chance(0.5),
        phone.now(),
        db,
      )
    else if (kind < 12) await this.#queue(phone, uid)
    else if (kind < 18) await this.#sync(phone)
    else if (kind < 20) await phone.signIn(this.#random.pick(people))
    else if (kind < 21) await this.#signOut(phone)
    else if (kind < 22) await this.#turnOn(phone)
    else if (kind < 23) await this.#rarely(phone)
    else await this.#sync(phone)
  }

  async #rarely(phone: Phone): Promise<void> {
    const kind = this.#random.int(6)
    if (kind === 0)
      this.#backup = {
        accounts: await sql`select * from listening_accounts`,
        rows: await sql`select * from listening_rows`,
      }
    else if (kind === 1) await this.#restore()
    else if (kind === 2 && phone.person) await phone.turnOff({ remove: this.#random.chance(0.5) })
    else if (kind === 3 || kind === 4) await this.#deleteAccount(this.#random.int(people.length))
    else if (phone.person) {
      await claimAnonymous(phone.db, (await phone.personId())!)
      this.#forget(phone, 0)
    }
  }

  async #listen(phone: Phone, uid: string): Promise<void> {
    const seconds = await this.#new(phone)
    await notePosition(uid, { seconds, duration: 86_000, at: phone.now() }, phone.db)
  }

  async #write(phone: Phone, uid: string): Promise<void> {
    const text = String(await this.#new(phone))
    const [known] = await phone.db.notes.toArray()
    const id = known && this.#random.chance(0.5) ? known.id : undefined
    await writeNote({ id, uid: known && id ? known.uid : uid, seconds: 60, text }, phone.now(), phone.db)
  }

  async #remove({ db, now }: Phone): Promise<void> {
    const notes = await db.notes.toArray()
    if (notes.length > 0) await removeNote(this.#random.pick(notes).id, now(), db)
  }

  async #queue({ db, now }: Phone, uid: string): Promise<void> {
    const type = this.#random.pick(['playNext', 'addToEnd', 'remove'] as const)
    await writeUpNext({ type, uids: [uid] }, now(), db)
  }

  async #sync(phone: Phone): Promise<void> {
    const line = (): Line =>
      this.#random.chance(0.8) ? 'good' : this.#random.pick(['lost on the way', 'answer lost'] as const)
    // If the line or the server fails, a later step retries.
    await phone.sync(line).catch(() => undefined)
  }

  async #signOut(phone: Phone): Promise<void> {
    const keep = this.#random.chance(0.5)
    const id = await phone.personId()
    if (id !== undefined && !keep) this.#forget(phone, id)
    await phone.signOut({ keep })
  }

  async #turnOn(phone: Phone): Promise<void> {
    if (!phone.person) return
    await phone.turnOn()
    // Anonymous listening belongs to this person now.
    this.#forget(phone, 0)
  }

  async #restore(): Promise<void> {
    const { accounts, rows } = this.#backup
    await sql.begin(async (tx) => {
      await tx`delete from listening_rows`
      await tx`delete from listening_accounts`
      // This backup holds listening alone, so it restores no account that was deleted since.
      const present = (row: Record<string, unknown>) => ids.includes(row['user_id'] as number)
      for (const account of accounts.filter(present)) await tx`insert into listening_accounts ${tx(account)}`
      for (const row of rows.filter(present)) await tx`insert into listening_rows ${tx(row)}`
      await renewEpoch(tx)
    })
  }

  /** An administrator deletes the account; a new person comes in its place. */
  async #deleteAccount(at: number): Promise<void> {
    const [person, id] = [people[at]!, ids[at]!]
    await call(users.remove, { params: { id } }, administrator)
    people[at] = await app.signedIn()
    ids[at] = await idOf(people[at])
    expect(await this.#server(id)).toEqual([])
    expect(await this.#server(id)).toEqual([])
    expect(await sql`select 1 from listening_accounts where user_id = ${id}`).toEqual([])
    for (const phone of this.#phones.filter((each) => each.person === person)) {
      // The device cannot know why its session ended: it shows its rows, and sends none of them any more.
      const before = await phone.shown()
      if (await readAccount(phone.db, id)) await expect(phone.sync()).rejects.toMatchObject({ status: 401 })
      expect(await phone.shown()).toEqual(before)
      expect(await this.#server(id)).toEqual([])
      phone.person = undefined
    }
  }

  async #new({ db }: Phone): Promise<number> {
    this.#made += 1
    this.#truth.set(String(this.#made), { owner: await readOwner(db), at: time() })
    return this.#made
  }

  #forget(phone: Phone, owner: number): void {
    this.#seen.delete(`${this.#phones.indexOf(phone)} ${owner}`)
  }

  async #look(phone: Phone): Promise<void> {
    const owner = await readOwner(phone.db)
    const signedIn = await phone.personId()
    if (signedIn !== undefined) expect([0, signedIn]).toContain(owner)
    const changes = await readChanges(phone.db)
    this.#isOnlyOf(owner, changes)
    const marks = await phone.db.unsentListening.toArray()
    const ownOf = new Map(marks.map(({ kind, key, own }) => [`${kind} ${key}`, own ?? []]))
    /** By the true time: the stamps of the phone are of its wrong clock until the server has them. */
    const trueStamps = (change: ListeningChange): ListeningChange => {
      const own = ownOf.get(`${change.kind} ${keyOfChange(change)}`) ?? []
      return mapStamps(change, (stamp) => {
        const at = own.find(({ moment }) => moment === stamp)?.at
        return at === undefined ? stamp : at - phone.wrong
      }) as ListeningChange
    }
    const name = `${this.#phones.indexOf(phone)} ${owner}`
    const now = new Map(
      changes.map((change) => [`${change.kind} ${keyOfChange(change)}`, trueStamps(change)]),
    )
    for (const [key, before] of this.#seen.get(name) ?? []) {
      const after = now.get(key)
      expect(after, `${key} is gone`).toBeDefined()
      if (before.kind === 'position' && after!.kind === 'position')
        expect(this.#heardAt(after!.row.seconds)).toBeGreaterThanOrEqual(this.#heardAt(before.row.seconds))
      else expect(isSameRow(mergeChanges(before, after!), after!), `${key} has moved back`).toBe(true)
    }
    this.#seen.set(name, now)
  }

  #heardAt(seconds: number): number {
    return this.#truth.get(String(seconds))!.at
  }

  /** The rows of an owner are their own, or were anonymous when they claimed them. */
  #isOnlyOf(owner: number, changes: readonly ListeningChange[]): void {
    for (const change of changes) {
      const marks =
        change.kind === 'position'
          ? [change.row, ...change.row.earlier].map(({ seconds }) => String(seconds))
          : change.kind === 'note' && change.row.text !== ''
            ? [change.row.text]
            : []
      for (const mark of marks) expect([0, owner]).toContain(this.#truth.get(mark)?.owner)
    }
  }

  async #server(userId: number): Promise<ListeningChange[]> {
    const rows = await sql<{ kind: string; content: unknown }[]>`
      select kind, content from listening_rows where user_id = ${userId}`
    return rows.map(({ kind, content }) => ({ kind, row: content }) as ListeningChange)
  }
}
