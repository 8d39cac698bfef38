import { auth } from '@fellowship/schema/auth/auth.contract'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { call, type Transport } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import {
  endSession,
  readAccount,
  readChanges,
  readOwner,
  readUnsent,
  removePerson,
  startSession,
  turnOff,
  turnOn,
} from '@fellowship/sync/client/listening/listening-accounts'
import { exchange } from '@fellowship/sync/client/listening/listening-exchange'

/** A signed-in client of the API. */
export type Person = Transport & { readonly email: string }

export const idOf = async (person: Person): Promise<number> =>
  (await call(auth.currentUser, {}, person)).user!.id

/** The fate of a request: it never arrives, or its answer never does. */
export type Line = 'good' | 'lost on the way' | 'answer lost'

const known = new Map<string, number>()

/** The same, asked once for each account. */
async function knownId(person: Person): Promise<number> {
  const id = known.get(person.email) ?? (await idOf(person))
  known.set(person.email, id)
  return id
}

/** The client code of a device, with its own database and its own wrong clock. */
export class Phone {
  readonly db: AppDatabase
  /** The error of its clock, in milliseconds; fast if positive. */
  readonly wrong: number
  readonly #time: () => number
  person: Person | undefined

  constructor(name: string, time: () => number, wrong: number) {
    this.db = new AppDatabase(`${name}-${Math.random()}`)
    this.wrong = wrong
    this.#time = time
  }

  readonly now = (): number => this.#time() + this.wrong

  /** Another person may be signed in already: the page learns who it is. */
  async signIn(person: Person): Promise<void> {
    this.person = person
    await startSession(this.db, await knownId(person))
  }

  async signOut({ keep }: { keep: boolean }): Promise<void> {
    if (this.person && !keep) await removePerson(this.db, await knownId(this.person))
    this.person = undefined
    await endSession(this.db)
  }

  async turnOn(): Promise<void> {
    await call(listening.choose, { body: { on: true } }, this.person)
    await turnOn(this.db, await knownId(this.person!))
  }

  async turnOff({ remove }: { remove: boolean }): Promise<void> {
    const { held } = await call(listening.choose, { body: { on: false, remove } }, this.person)
    await turnOff(this.db, await knownId(this.person!), held)
  }

  /** One round of asking and sending; a later one retries failures. */
  async sync(line: () => Line = () => 'good'): Promise<void> {
    const { db, person, now } = this
    if (!person) return
    const userId = await knownId(person)
    const account = await readAccount(db, userId)
    if (!account) return
    const transport = overLine(person, line)
    const signal = new AbortController().signal
    await exchange({
      db,
      userId,
      session: account.session,
      transport,
      now,
      signal,
      onProgress: () => undefined,
    })
  }

  /** The account that is signed in. */
  readonly personId = async (): Promise<number | undefined> => this.person && knownId(this.person)

  /** The shown listening with its owner, in an order that can be compared. */
  async shown(): Promise<{ owner: number; rows: string[] }> {
    const rows = (await readChanges(this.db)).map((change) => JSON.stringify(change, sortedMembers)).sort()
    return { owner: await readOwner(this.db), rows }
  }

  readonly unsent = async (): Promise<number> => (await readUnsent(this.db, await this.personId())).length
}

export const sortedMembers = (_: string, value: unknown): unknown =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const overLine = (person: Person, line: () => Line): Transport => ({
  base: person.base,
  session: person,
  fetch: async (input, init) => {
    const state = line()
    if (state === 'lost on the way') throw new TypeError('Failed to fetch')
    const answer = await person.fetch(input, init)
    if (state === 'answer lost') throw new TypeError('Failed to fetch')
    return answer
  },
})
