import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { users } from '@fellowship/schema/users/users.contract'
import { CallError } from '@fellowship/sync/call/call-error'
import { call, type Transport } from '@fellowship/sync/call/call'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import { faultProxy, type FaultProxy, type ProxyFault } from '@fellowship/api/testing/fault-proxy'
import { testClient, type TestClient } from '@fellowship/api/testing/test-client'
import type { Sighting } from './crash-table.ts'
import { Device, untilAnswered, type Release } from './device.ts'
import { hasWords, Ledger } from './ledger.ts'
import { faults, Machine, type Fault } from './machine.ts'
import { askOf, asks, describeRequest, type Ask, type AskedRequest } from './requests.ts'

/** Histories that run at the same time: each has a person, two devices and a network of its own. */
export const atOnce = 3

/** A third of the devices; one of them is in the history that provokes the faults. */
const releaseOf = (at: number, which: number): Release => ((at + which) % 3 === 1 ? 'earlier' : 'this')

interface Person {
  email: string
  id: number
  client: TestClient
}

/** The next fault, and the request during which it comes. */
interface Plan {
  ask: Ask
  fault: Fault
}

/** Every pair of a request and a fault comes once in so many rounds, as their numbers have no common divisor. */
export const roundsForAll = asks.length * faults.length
const planOf = (seed: number, among: readonly Fault[]): Plan => ({
  fault: among[seed % among.length]!,
  ask: asks[seed % asks.length]!,
})

const administrator = { email: 'admin@example.org', password: 'a-long-sentence-only-you-know' }
const password = 'Correct-horse-9'

/** The machine, the people and their devices. One library lives through all histories. */
export class World {
  readonly machine: Machine
  readonly sightings: Sighting[] = []
  readonly #faults: readonly Fault[]
  readonly ledger = new Ledger()
  readonly #people: Person[] = []
  readonly #networks: FaultProxy[] = []
  readonly #devices: Device[][] = []
  readonly #inFlight = new Map<AskedRequest, Person>()
  /** Devices send while it is open: no request may come between the fault and the check after it. */
  #gate = gate()
  #random = seededRandom(0)
  #isCalm = true
  #crash: Crash | undefined

  /** @param only the one fault that strikes; all of them in turn if it is absent */
  constructor(dataDir: string, only?: Fault) {
    this.machine = new Machine(dataDir)
    this.#faults = only ? [only] : faults
  }

  /** Starts the server for the first round and makes accounts and devices. */
  async begin(seed: number): Promise<void> {
    await this.machine.start(planOf(seed, this.#faults).fault, seededRandom(seed))
    await this.#addPerson(administrator.email)
    await call(copies.change, { body: { paused: true } }, this.#at(this.#people[0]!))
    // Devices with the earlier client do not know series; their digests are compared all the same.
    await call(series.create, { body: { title: 'Of hope' } }, this.#at(this.#people[0]!))
    for (let at = 0; at < atOnce; at += 1) {
      const body = { email: `person-${at}@example.org`, name: `Person ${at}`, password }
      await call(users.create, { body }, this.#at(this.#people[0]!))
      await this.#addPerson(body.email)
      this.#networks.push(await this.#network())
    }
    for (let at = 0; at < atOnce; at += 1) {
      // The second device belongs to another person, who has one in the next history too.
      const owners = [this.#people[1 + at]!, this.#people[1 + ((at + 1) % atOnce)]!]
      this.#devices.push(
        owners.map((owner, which) =>
          this.#device(`${seed}.${at}.${which}`, owner, { at, release: releaseOf(at, which) }),
        ),
      )
    }
  }

  /**
   * One round: some histories at once, and in their midst a fault, during the request that the seed chooses.
   * Afterwards every acknowledged change exists once and whole, and all devices have the server's rows.
   *
   * @param options.updates one earlier release of the client is replaced by this one, with its pending entries
   * @throws Error naming the lost, doubled, damaged or different data
   */
  async round(seed: number, { updates = false } = {}): Promise<void> {
    this.#random = seededRandom(seed)
    const plan = planOf(seed, this.#faults)
    const crash = crashOf(plan, this.#random)
    this.#isCalm = false
    await Promise.all([
      crash.over,
      ...this.#devices.map((devices, at) =>
        this.#history(devices, seededRandom(seed * atOnce + at), at === 0 ? { crash, seed } : undefined),
      ),
    ])
    this.#isCalm = true
    this.#crash = undefined
    const devices = this.#devices.flat()
    if (updates) await devices.find(({ release }) => release === 'earlier')?.update()
    await Promise.all(devices.map((device, at) => device.settle(seededRandom(seed * 100 + at))))
    const rows = await this.#rows()
    this.ledger.checkSettled(rows)
    await Promise.all(devices.map((device) => device.converge(rows)))
  }

  /** Ends the devices, the networks and the server. */
  async end(): Promise<void> {
    for (const device of this.#devices.flat()) await device.close()
    for (const network of this.#networks) await network.close()
    await this.machine.stop()
  }

  async #history(
    devices: readonly Device[],
    random: Random,
    provoked: { crash: Crash; seed: number } | undefined,
  ): Promise<void> {
    const steps = 5 + random.int(5)
    const crashAt = random.int(steps)
    for (let step = 0; step < steps; step += 1) {
      await this.#gate.opened
      if (provoked && step === crashAt) await this.#provoke(devices[provoked.seed % 2]!, random, provoked)
      await takeStep(random.pick(devices), random)
    }
  }

  /** Arms the crash, and sends requests until it has struck. */
  async #provoke(device: Device, random: Random, { crash, seed }: { crash: Crash; seed: number }) {
    if (crash.fault === 'a backup is restored') {
      this.ledger.backupBegins()
      await writeFile(this.#backupFile, await this.#downloadBackup())
      this.ledger.backupIsDone()
    }
    crash.strike = () => this.#strike(crash, seed)
    this.#crash = crash
    for (let tries = 0; !crash.isStriking; tries += 1) {
      if (tries > 200) throw new Error(`"${crash.ask}" was never under way`)
      await this.#ask(crash.ask, device, random)
    }
    await crash.over
  }

  async #ask(ask: Ask, device: Device, random: Random): Promise<void> {
    if (ask === 'pull') return device.pull()
    if (ask === 'download a backup') return void (await this.#downloadBackup().catch(() => undefined))
    const isChange = ask === 'edit' || ask === 'delete'
    if (isChange) await device.resolve(random)
    if (isChange && (await (ask === 'edit' ? device.edit(random) : device.remove(random))))
      return device.drain()
    await device.upload(random)
    while (!this.#crash?.isStriking && (await device.hasUploads())) await delay(10)
    await device.pull()
  }

  /** Strikes, and compares the state afterwards with the acknowledged changes. */
  async #strike({ ask, fault, gone }: Crash, seed: number): Promise<void> {
    const hit = [...this.#inFlight]
    this.#gate.close()
    await this.machine.strike(fault)
    gone()
    await Promise.all(hit.map(([{ settled }]) => settled))
    const next = { fault: planOf(seed + 1, this.#faults).fault, random: seededRandom(seed + 1) }
    await this.machine.recover(fault, { backup: this.#backupFile, next })
    if (fault === 'a backup is restored') await this.#signInAll()
    const rows = await this.#rows()
    if (fault === 'a backup is restored') this.ledger.restored(rows)
    else this.ledger.check(rows)
    await this.ledger.checkRecordings(rows, this.machine.dataDir)
    const staged = await readdir(path.join(this.machine.dataDir, 'staging'))
    if (fault !== 'PostgreSQL is killed' && staged.length > 0)
      throw new Error(`left behind: ${staged.join(', ')}`)
    for (const [request, person] of hit) {
      const found = await this.#foundAfter(request, person, rows, fault)
      this.sightings.push({ fault, ask: request.ask, told: request.told, found })
    }
    if (!hit.some(([request]) => request.ask === ask)) throw new Error(`nothing was asked: ${ask}`)
    this.#gate.open()
  }

  /** The outcome of the interrupted request. */
  async #foundAfter(
    { ask, uid, words, told }: AskedRequest,
    person: Person,
    rows: readonly Teaching[],
    fault: Fault,
  ): Promise<string> {
    const row = rows.find((each) => each.uid === uid)
    if (ask === 'pull') return 'nothing to keep'
    if (ask === 'edit') return !row ? 'deleted by another' : hasWords(row, words!) ? 'changed' : 'unchanged'
    if (ask === 'delete') return row ? 'there' : 'deleted'
    if (ask === 'download a backup') {
      const admin = this.#at(this.#people[0]!)
      // A server that was not killed records the end when its database is back.
      for (let tries = 0; tries < 150; tries += 1) {
        const { backups } = await untilAnswered(() => call(backup.history, {}, admin))
        const result = backups[0]?.result ?? 'not begun'
        if (result !== 'running') return result
        await delay(100)
      }
      throw new Error('a backup that was cut off is listed as running')
    }
    if (row) return 'published'
    const { status, headers } = await untilAnswered(() => this.#offsetOf(uid!, person))
    const isThere = status === 200
    const [offset, length] = ['upload-offset', 'upload-length'].map((name) => Number(headers.get(name)))
    const isAcknowledged = ask !== 'begin an upload' || told === 201
    if (!isThere && isAcknowledged && fault !== 'a backup is restored')
      throw new Error(`the upload ${uid} is lost: ${status}`)
    // A recording is sent in one request here.
    const hadArrived = ask === 'publish' || told === 204
    if (hadArrived && isThere && offset !== length)
      throw new Error(`the upload ${uid} had arrived, and has ${offset} of ${length} bytes`)
    if (!isThere) return 'no upload'
    return offset === 0 ? 'the upload, no byte' : offset === length ? 'all bytes' : 'some bytes'
  }

  /** The answer of tus about an upload. */
  async #offsetOf(uid: string, person: Person): Promise<Response> {
    const response = await person.client.fetch(`${this.machine.url}/api/uploads/${uid}`, {
      method: 'HEAD',
      headers: { 'tus-resumable': '1.0.0' },
    })
    if (response.status === 503) throw new CallError(503, '', response)
    return response
  }

  get #backupFile(): string {
    return path.join(this.machine.dataDir, 'restored.zip')
  }

  async #downloadBackup(): Promise<Buffer> {
    const person = this.#people[0]!
    const response = await this.#transport(person, this.machine.url).fetch(
      `${this.machine.url}/api/backup/create-manual`,
    )
    if (!response.ok) throw new Error(`no backup: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }

  #rows(): Promise<Teaching[]> {
    return untilAnswered(() => call(teachings.list, {}, { fetch, base: this.machine.url }))
  }

  /** A person's calls to the server, past the networks of the histories. */
  #at(person: Person): Transport {
    return { fetch: person.client.fetch, base: this.machine.url }
  }

  async #addPerson(email: string): Promise<void> {
    const person = { email, id: 0, client: testClient('') }
    this.#people.push(person)
    await this.#signIn(person)
  }

  /** A restore ends all sessions. */
  async #signInAll(): Promise<void> {
    for (const person of this.#people) await this.#signIn(person)
  }

  async #signIn(person: Person): Promise<void> {
    person.client.cookies.clear()
    const body = person.email === administrator.email ? administrator : { email: person.email, password }
    person.id = (await call(auth.login, { body }, this.#at(person))).user.id
  }

  #device(name: string, owner: Person, { at, release }: { at: number; release: Release }): Device {
    const transport = this.#transport(owner, this.#networks[at]!.url, (key) => device.uidOf(key))
    const sends = (uid: string, sha256: string) => this.ledger.sends(uid, sha256)
    const device = new Device({ name, userId: owner.id, transport, release, sends })
    return device
  }

  #transport(
    person: Person,
    base: string,
    uidOf?: (mutationId: string) => Promise<string | undefined>,
  ): Transport {
    return {
      base,
      fetch: async (input, init) => {
        const described = describeRequest(input as string, init)
        const key = described?.uid === undefined ? described?.key : undefined
        const uid = key === undefined ? undefined : await uidOf?.(key)
        await this.#gate.opened
        if (!described) return person.client.fetch(input, init)
        return this.#watch({ ...described, uid: described.uid ?? uid }, person, () =>
          person.client.fetch(input, init),
        )
      },
    }
  }

  /** Records a request while it is open, and its answer. */
  async #watch(
    described: Omit<AskedRequest, 'settled'>,
    person: Person,
    send: () => Promise<Response>,
  ): Promise<Response> {
    let settle = () => {}
    const request: AskedRequest = { ...described, settled: new Promise((resolve) => (settle = resolve)) }
    this.ledger.asked(request)
    this.#inFlight.set(request, person)
    this.#considerStriking(request)
    try {
      const response = await send()
      const body = request.ask === 'download a backup' ? '' : await response.clone().text()
      request.told = response.status
      this.ledger.answered(request, response.status, body)
      return response
    } finally {
      this.#inFlight.delete(request)
      settle()
    }
  }

  /** Strikes a moment after the planned request has begun, if it is still under way then. */
  #considerStriking(request: AskedRequest): void {
    const crash = this.#crash
    if (!crash || crash.isStriking || crash.atNetwork || request.ask !== crash.ask) return
    setTimeout(() => {
      if (crash.isStriking) return
      if (this.#inFlight.has(request)) void crash.begin()
      // If it was answered first, the next one is struck sooner.
      else crash.afterMs *= 0.7
    }, crash.afterMs)
  }

  /** A network between devices and the server that loses and doubles requests and answers while it is not calm. */
  async #network(): Promise<FaultProxy> {
    const proxy = await faultProxy(() => this.machine.url)
    proxy.fault = ({ method, path: address }) => {
      const crash = this.#crash
      const isPlanned = crash?.atNetwork && askOf(method, address.split('?', 1)[0]!) === crash.ask
      if (isPlanned && !crash.isStriking) {
        // In the midst of the body, or when the answer is on its way.
        const after = crash.ask === 'send bytes' ? this.#random.int(9_000) : Infinity
        return { kind: 'interrupt', after, run: () => crash.begin() }
      }
      return this.#isCalm || crash?.isStriking === false ? { kind: 'none' } : networkFault(this.#random)
    }
    return proxy
  }
}

/** A step that a person or a device takes. */
async function takeStep(device: Device, random: Random): Promise<unknown> {
  const roll = random.int(100)
  if (roll < 25) return device.upload(random)
  if (roll < 50) return device.edit(random)
  if (roll < 60) return device.remove(random)
  if (roll < 78) return device.drain()
  if (roll < 92) return device.pull()
  return device.resolve(random)
}

function networkFault(random: Random): ProxyFault {
  const roll = random.int(100)
  if (roll < 5) return { kind: 'cut', after: 1 + random.int(20_000) }
  if (roll < 10) return { kind: 'lost answer' }
  if (roll < 13) return { kind: 'status', status: 502 }
  return roll < 16 ? { kind: 'twice' } : { kind: 'none' }
}

/** A crash that is going to come. */
interface Crash extends Plan {
  /** Milliseconds after the beginning of the request. */
  afterMs: number
  /** It comes when part of the request's body has arrived, or the server has answered and the device not heard of it. */
  atNetwork: boolean
  isStriking: boolean
  strike: () => Promise<void>
  /** Strikes; resolves when the processes are gone. */
  begin: () => Promise<void>
  gone: () => void
  /** Resolves when everything runs again and is checked; rejects if a check fails. */
  over: Promise<void>
}

function crashOf(plan: Plan, random: Random): Crash {
  let gone = () => {}
  const isGone = new Promise<void>((resolve) => (gone = resolve))
  let finish: (result: Promise<void>) => void = () => {}
  const over = new Promise<void>((resolve) => (finish = resolve))
  const crash: Crash = {
    ...plan,
    afterMs: random.int(40),
    atNetwork: plan.ask !== 'download a backup' && random.chance(0.5),
    isStriking: false,
    strike: () => Promise.resolve(),
    begin() {
      if (!crash.isStriking) {
        crash.isStriking = true
        finish(crash.strike())
      }
      return isGone
    },
    gone,
    over,
  }
  return crash
}

/** Admits everyone while it is open. */
function gate() {
  let release = () => {}
  const state = {
    opened: Promise.resolve(),
    close() {
      state.opened = new Promise((resolve) => (release = resolve))
    },
    open: () => release(),
  }
  return state
}
