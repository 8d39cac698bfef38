import 'fake-indexeddb/auto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { listeningLimits, listeningRate } from '@fellowship/schema/listening/listening.limits'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { longWav } from '@fellowship/api/testing/multipart'
import { mixedLoad, tallyLines } from '@fellowship/api/testing/once-and-whole'
import { untilDone, uploadPatiently } from '@fellowship/api/testing/persistent-client'
import { processTree, stillRunning } from '@fellowship/api/testing/process-tree'
import { severalServers } from '@fellowship/api/testing/several-servers'
import { isSwiftMissing } from '@fellowship/api/testing/swift'
import { testClient } from '@fellowship/api/testing/test-client'
import { expectRestored, regularBackups, takeBackup } from './day-backups.ts'
import { membersSignedIn, ordinary, signIn, writeNotes } from './day-members.ts'
import { largeIndex, manyTracks, repeatedFrame } from './m4a-bombs.ts'
import { beforeLoad, expectOnceAndWhole } from './once-and-whole.ts'
import { stalledReader } from './stalled-readers.ts'
import { watched } from './watched-server.ts'

/** `DAY_MINUTES=12 npx vitest run --project=pg infra/lab/faults/day` runs it; the nightly run sets 60. */
const minutes = Number(process.env['DAY_MINUTES'] ?? 60)
/** A twelfth of the run: a kill comes at the third, the sixth and the ninth; the bucket hangs for two of them, around a kill. */
const twelfthMs = minutes * 5_000

describe.skipIf(isSwiftMissing())('members, stalled readers and bombs,', async () => {
  if (isSwiftMissing()) return
  const folder = await mkdtemp(path.join(tmpdir(), 'day-'))
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { servers, swift, sql, settings, start, folderOf } = await severalServers(1)
  const { url } = servers[0]!
  const admin = testClient(url)

  test('a day in an hour loses nothing', { timeout: minutes * 60_000 + 3_600_000 }, async () => {
    const members = await membersSignedIn(200, { url, sql })
    await signIn(admin)
    const long = await uploadPatiently(members[0]!, Buffer.concat([...longWav(60_000_000)]), 'Other: long')
    const before = await beforeLoad(sql, url)
    const watch = await watched(() => servers[0]!)
    onTestFinished(() => watch.end())

    const people = members.slice(0, 3)
    // Few enough that they stay below the uploads of an hour.
    const load = mixedLoad({ sticky: url, inTurns: url, people, signIn, seed: 9, pauseMs: 15_000 })
    onTestFinished(() => load.close())
    const begun = performance.now()
    let isOver = false
    const untilOver = async (everyMs: number, work: (round: number) => Promise<unknown>) => {
      for (let round = 0; !isOver; round += 1) {
        await work(round)
        await delay(everyMs)
      }
    }
    const answers = new Map<string, number>()
    const count = (answer: string) => void answers.set(answer, (answers.get(answer) ?? 0) + 1)
    /** Sends once; the caller goes on whatever the answer is. */
    const tally = async (kind: string, sent: Promise<unknown>) =>
      sent.then(
        () => count(`${kind} 200`),
        (error) => count(`${kind} ${error instanceof CallError ? error.status : 'without answer'}`),
      )
    const greedy = minutes / 3
    const working = members.map((member, at) =>
      at < greedy
        ? untilOver(100, () => tally('notes', writeNotes(member)))
        : untilOver(2_000, (round) => tally('members', ordinary(member, round))),
    )
    const bombs = [largeIndex, manyTracks, repeatedFrame]
    const throwing = untilOver(twelfthMs / 2, async (round) => {
      const body = {
        title: `Other: bomb ${round}`,
        speaker: 'John Smith',
        date: '2026-11-22',
        scriptureReference: '',
        // Half of them are published without the check that decodes them.
        acceptSound: round % 2 === 1,
      }
      const audioFile = new File([new Uint8Array(await bombs[round % 3]!(round))], 'a.m4a')
      await tally('bombs', call(uploads.smartUpload, { body, files: { audioFile } }, members[10]!))
    })
    const sockets: Socket[] = []
    const closeSockets = () => {
      for (const socket of sockets) socket.destroy()
    }
    onTestFinished(closeSockets)
    const stalling = untilOver(60_000, async () => {
      const large = (await untilDone(() => call(teachings.list, {}, admin))).filter(
        ({ title, audioUrl }) => title.startsWith('Other: bomb') && audioUrl,
      )
      for (let at = 0; at < 600; at += 1) {
        const tagged = at % 6 === 0 ? large[at % large.length]?.audioUrl : undefined
        const address = tagged ? `${tagged}?download=1` : long.audioUrl!
        sockets.push(await stalledReader(url + address, { 'x-forwarded-for': `10.9.0.${at % 20}` }))
      }
    })

    const taken: Awaited<ReturnType<typeof takeBackup>>[] = []
    /** As an operator does: again until one is there. */
    const backUp = async () => {
      for (;;) {
        const tried = await takeBackup(admin, folder, load.published).catch((error: Error) => error)
        count(`backups ${tried instanceof Error ? 'refused or broken' : 'whole'}`)
        if (!(tried instanceof Error)) return void taken.push(tried)
        await delay(2_000)
      }
    }
    const backingUp: Promise<void>[] = []
    for (let twelfth = 1; twelfth <= 12; twelfth += 1) {
      if (twelfth % 2 === 1) backingUp.push(backUp())
      if (twelfth % 3 === 0 && twelfth < 12) {
        // In the middle of a backup, every other time.
        await delay(1_000)
        const ended = processTree(servers[0]!.pid)
        watch.isDown = true
        await servers[0]!.kill()
        await expect.poll(() => stillRunning(ended)).toEqual([])
        // Also while the bucket does not answer.
        await start(0)
        watch.isDown = false
      }
      if (twelfth === 5) swift.pause()
      if (twelfth === 7) swift.resume()
      await delay(twelfthMs)
    }
    isOver = true
    await Promise.all([load.end(), ...working, throwing, stalling, ...backingUp])
    closeSockets()
    watch.isDown = true
    expect(await servers[0]!.stop()).toBe(0)
    await start(0)
    watch.isDown = false
    console.log([...answers].map(([what, times]) => `${what}: ${times}`).join('; '))
    console.log(`${load.published.size} uploads and edits\n${tallyLines(load.tallies)}\n${watch.figures()}`)

    const isOther = (title: string) => title.startsWith('Other: ')
    await expectOnceAndWhole(load, {
      before: { ...before, teachings: 0 },
      sql,
      base: url,
      urls: [url],
      people,
      isOther,
    })
    // A slow machine may refuse none of them. After a start the requests count anew.
    const [perMinute, starts] = [listeningRate.attempts / listeningRate.perMinutes, 4]
    const most = Math.ceil(greedy) * perMinute * ((performance.now() - begun) / 60_000 + starts)
    expect(answers.get('notes 200')).toBeGreaterThan(0)
    expect(answers.get('notes 200')).toBeLessThanOrEqual(most)
    const [largest] = await sql<{ bytes: number }[]>`select max(bytes) as bytes from listening_accounts`
    expect(largest!.bytes).toBeLessThanOrEqual(listeningLimits.bytes)
    const good = [...load.published.keys(), long.uid]
    const withoutCopy = async () =>
      (await call(teachings.list, {}, admin)).filter(({ uid, copyUrl }) => good.includes(uid) && !copyUrl)
    await expect.poll(withoutCopy, { interval: 2_000, timeout: 1_800_000 }).toEqual([])
    for (const { copyUrl, copyBytes } of await call(teachings.list, {}, admin))
      if (copyUrl) expect((await (await fetch(url + copyUrl)).arrayBuffer()).byteLength).toBe(copyBytes)
    console.log(`copies: ${JSON.stringify(await call(copies.status, {}, admin))}\n${watch.figures()}`)

    expect([...answers.keys()].filter((each) => /^(notes|members) 5/.test(each))).toEqual([])
    expect(await readdir(path.join(folderOf(0), 'staging'))).toEqual([])
    // A minute after the start.
    const daily = async () => (await call(backup.history, {}, admin)).daily.lastAt
    await expect.poll(daily, { interval: 2_000, timeout: 300_000 }).not.toBeNull()
    const { backups } = await call(backup.history, {}, admin)
    const complete = backups.filter(({ kind, result }) => kind === 'manual' && result === 'complete')
    expect(complete.filter(({ id }) => !taken.some((each) => each.id === id))).toEqual([])
    watch.expectWithinBudgets()
    await watch.end()
    expect(await servers[0]!.stop()).toBe(0)

    for (const each of taken) await expectRestored(each)
    const regular = await regularBackups(settings, folder)
    expect(regular.length).toBeGreaterThan(0)
    for (const file of regular) await expectRestored({ file, expected: new Map() })
    console.log(`${taken.length} backups restored, ${regular.length} regular ones`)
  })
})
