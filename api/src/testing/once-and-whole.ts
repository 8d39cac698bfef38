import { setTimeout as delay } from 'node:timers/promises'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { pull } from '@fellowship/sync/client/replica/pull'
import { longWav } from './long-wav.ts'
import {
  editPatiently,
  emptyTally,
  untilAnswered,
  untilDone,
  uploadPatiently,
  type Tally,
} from './persistent-client.ts'
import { testClient, type TestClient } from './test-client.ts'

/** The kinds of load; each has a tally of its own. */
const loadKinds = [
  'uploads and edits',
  'uploads in turns',
  'reading',
  'reading in turns',
  'sign-ins',
  'events and pulls',
] as const
type LoadKind = (typeof loadKinds)[number]

/** Acknowledged teachings, by uid. */
type Published = ReadonlyMap<string, { bytes: Buffer; audioUrl: string; title: string }>

export interface MixedLoad {
  readonly tallies: Readonly<Record<LoadKind, Tally>>
  readonly published: Published
  /** Sessions that were seen at work and then ended. */
  readonly ended: readonly TestClient[]
  /** The teachings that each listening device holds, by its last pull. */
  held(): Promise<Map<string, string>[]>
  /** Waits until all running work has ended; listeners stay. */
  end(): Promise<void>
  /** The devices close their streams. */
  close(): void
}

interface Load {
  /** A proxy that keeps an upload and a person with one process. */
  sticky: string
  /** A proxy that asks the processes in turn. */
  inTurns: string
  /** Who upload and edit, each signed in at one of these. */
  people: readonly TestClient[]
  signIn: (client: TestClient) => Promise<unknown>
  /** Tells its recordings from those of another load on the same library. */
  seed: number
  /** Between two uploads of a person; 0 unless given. */
  pauseMs?: number
}

const addresses = ['/', '/api/sync', '/api/teachings', '/feed.xml', '/series', '/about']

/**
 * Load as of a congregation: people upload and edit, with or without a proxy that keeps an upload with one process; others read
 * pages, lists and recordings; one signs in and out; two devices listen and pull. Each repeats unanswered requests.
 */
export function mixedLoad({ sticky, inTurns, people, signIn, seed, pauseMs = 0 }: Load): MixedLoad {
  const tallies = Object.fromEntries(loadKinds.map((kind) => [kind, emptyTally()])) as Record<LoadKind, Tally>
  const published = new Map<string, { bytes: Buffer; audioUrl: string; title: string }>()
  const ended: TestClient[] = []
  const over = new AbortController()
  let isOver = false
  let areWritersDone = false

  const write = async (who: number) => {
    const person = people[who]!
    const tally = tallies[person.base === inTurns ? 'uploads in turns' : 'uploads and edits']
    for (let round = 0; !isOver; round += 1) {
      const bytes = Buffer.concat([...longWav(600_000, seed * 100_000 + who * 10_000 + round)])
      const teaching = await uploadPatiently(person, bytes, `Load ${seed} ${who} ${round}`, tally)
      const title = `Edited ${seed} ${who} ${round}`
      await editPatiently(person, teaching, title, tally)
      published.set(teaching.uid, { bytes, audioUrl: teaching.audioUrl!, title })
      if (!isOver) await delay(pauseMs)
    }
  }
  // For as long as there are writers: alone, an upload in turns may find the other process for ever.
  const read = async (base: string, tally: Tally) => {
    for (let round = 0; !areWritersDone; round += 1) {
      for (const address of addresses)
        await untilAnswered(() => answeredWhole(base + address, undefined), tally)
      const recordings = [...published.values()]
      const one = recordings[round % Math.max(recordings.length, 1)]
      if (one) await untilAnswered(() => answeredWhole(base + one.audioUrl, one.bytes), tally)
      await delay(50)
    }
  }
  const signInAndOut = async () => {
    const tally = tallies['sign-ins']
    while (!isOver) {
      const client = testClient(sticky)
      await untilDone(() => signIn(client), tally)
      const { user } = await untilDone(() => call(auth.currentUser, {}, client), tally)
      if (!user) throw new Error('A session that was begun is not there.')
      const kept = elsewhere(client, sticky)
      // Sent again after an answer that did not come, it finds no session: then it has been done.
      await untilDone(() => call(auth.logout, {}, client).catch(isSignedOut), tally)
      ended.push(kept)
      await delay(500)
    }
  }
  const devices = [1, 2].map((at) =>
    listeningDevice(at === 1 ? sticky : inTurns, tallies['events and pulls'], over.signal),
  )
  const writing = Promise.all(people.map((_, who) => write(who))).finally(() => (areWritersDone = true))
  const working = Promise.all([
    writing,
    read(sticky, tallies['reading']),
    read(inTurns, tallies['reading in turns']),
    signInAndOut(),
  ])
  working.catch(() => undefined)
  return {
    tallies,
    published,
    ended,
    held: () => Promise.all(devices.map((device) => device.held())),
    async end() {
      isOver = true
      await working
    },
    close: () => over.abort(),
  }
}

/** One line for each kind of request, and one for all. */
export function tallyLines(tallies: MixedLoad['tallies']): string {
  const all = loadKinds.map((kind) => tallies[kind])
  const sum = (of: keyof Tally) => all.reduce((total, tally) => total + tally[of], 0)
  const line = (name: string, { requests, failures, deferred }: Tally) =>
    `${name}: ${requests} requests, ${((failures / requests) * 100).toFixed(1)} % failed, ${deferred} deferred`
  return [
    ...loadKinds.map((kind) => line(kind, tallies[kind])),
    line('all', { requests: sum('requests'), failures: sum('failures'), deferred: sum('deferred') }),
  ].join('\n')
}

/** The same person by another way. */
export function elsewhere(person: TestClient, base: string): TestClient {
  const same = testClient(base)
  for (const [name, value] of person.cookies) same.cookies.set(name, value)
  return same
}

function isSignedOut(error: unknown): void {
  if (!(error instanceof CallError) || (error.status !== 401 && error.status !== 403)) throw error
}

/** @throws Error if the body breaks off, or differs from the expected one */
async function answeredWhole(url: string, expected: Buffer | undefined): Promise<Response> {
  const answer = await fetch(url)
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.status < 500 && answer.status !== 429 && expected && !body.equals(expected))
    throw new Error(`${url}: ${answer.status} with other bytes`)
  return answer
}

/** Listens to the events and pulls after each, and after each new connection, as the engine on a device does. */
function listeningDevice(base: string, tally: Tally, over: AbortSignal) {
  const db = new AppDatabase(`mixed load ${base} ${Math.random()}`)
  const transport = { base, fetch }
  const pullNow = () => untilDone(() => pull(db, transport, { now: () => Date.now() }), tally)
  const listen = async () => {
    while (!over.aborted) {
      tally.requests += 1
      const answer = await fetch(`${base}/api/sync/events`, { signal: over }).catch(() => undefined)
      if (answer?.status === 200) {
        await pullNow()
        try {
          for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream()))
            if (chunk.includes('event: changed')) await pullNow()
        } catch {
          // Broken off; changes missed meanwhile are pulled with the next stream.
        }
      } else {
        await answer?.body?.cancel()
        tally.failures += 1
      }
      await delay(100)
    }
  }
  void listen().catch(() => undefined)
  return {
    held: async () =>
      new Map((await db.teachings.toArray()).map(({ uid, title }): [string, string] => [uid, title])),
  }
}
