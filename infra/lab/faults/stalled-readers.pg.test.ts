import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { system } from '@fellowship/schema/system/system.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { formBody, longWav, sendForm } from '@fellowship/api/testing/multipart'
import { serverProgram, startServer } from '@fellowship/api/testing/server-process'
import { largeIndex } from './m4a-bombs.ts'
import { processorSeconds, residentMegabytes, stalledReader } from './stalled-readers.ts'

/*
 * Clients that request recordings and do not read them: 1,500 of a WAV, and 300 of downloads whose index of several megabytes
 * is rewritten. LAB_SERVER=path/to/main.mjs measures another build.
 */

const folder = await mkdtemp(path.join(tmpdir(), 'stalled-'))
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

test('1,800 stalled readers cost little, and a hall of phones plays', { timeout: 600_000 }, async () => {
  const program = process.env['LAB_SERVER']
  const server = await startServer(folder, {}, program === undefined ? serverProgram : [program])
  const admin = await server.signIn()
  await call(auth.csrfToken, {}, admin)
  const publish = async (title: string, name: string, body: Iterable<Buffer>) => {
    const fields = {
      title,
      speaker: 'John Smith',
      date: '2026-11-22',
      scriptureReference: '',
    }
    const parts = Object.entries(fields).map(([key, value]) => ({ name: key, value }))
    const { csrfToken } = await call(auth.csrfToken, {}, admin)
    const answer = await sendForm(
      admin,
      uploads.smartUpload.path,
      formBody([...parts, { name: 'audioFile', filename: name, body }]),
      { headers: { 'x-csrf-token': csrfToken } },
    )
    expect(answer, title).toMatchObject({ status: 200 })
  }
  await publish('Long', 'long.wav', longWav(60_000_000))
  for (let at = 0; at < 10; at += 1) await publish(`Large ${at}`, 'large.m4a', [await largeIndex(at)])
  const rows = await call(teachings.list, {}, admin)
  const wav = rows.find(({ title }) => title === 'Long')!.audioUrl!
  const large = rows.filter(({ title }) => title.startsWith('Large')).map(({ audioUrl }) => audioUrl!)

  const sockets: Socket[] = []
  const stalled = async (address: string) => void sockets.push(await stalledReader(server.url + address))
  const answered = async (count: number) => {
    const times: number[] = []
    for (let at = 0; at < count; at += 1) {
      const begun = performance.now()
      await call(system.live, {}, admin)
      times.push(performance.now() - begun)
      await delay(10)
    }
    return times.toSorted((a, b) => a - b)[Math.floor(count * 0.99)]!
  }
  await answered(50)
  const idle = await answered(300)
  const before = await residentMegabytes(server.pid)

  /** The times of calls that are made one after another while this runs, and what the server worked. */
  const duringThis = async (work: () => Promise<void>) => {
    let isOver = false
    const times: number[] = []
    const [begun, worked] = [performance.now(), await processorSeconds(server.pid)]
    const calls = (async () => {
      while (!isOver) times.push(await answered(1), await delay(5, 0))
    })()
    await work()
    isOver = true
    await calls
    const sorted = times.filter((ms) => ms > 0).toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)]!
    const share = ((await processorSeconds(server.pid)) - worked) / ((performance.now() - begun) / 1000)
    return `p99 ${p99.toFixed(1)} ms, most ${sorted.at(-1)!.toFixed(0)} ms of ${sorted.length}, ${(share * 100).toFixed(0)} % of a core`
  }
  // Connecting costs this process, which measures, as much as the server: the calls beside it wait for both.
  const connecting = await duringThis(async () => {
    for (let at = 0; at < 1_500; at += 1) await stalled(wav)
  })
  const plain = await residentMegabytes(server.pid)
  const tagging = await duringThis(async () => {
    for (let at = 0; at < 300; at += 1) await stalled(`${large[at % large.length]!}?download=1`)
  })
  let most = await residentMegabytes(server.pid)
  const stalledLive = await duringThis(async () => {
    for (let at = 0; at < 20; at += 1) {
      await delay(1_000)
      most = Math.max(most, await residentMegabytes(server.pid))
    }
  })

  // Phones of a hall share an address: each plays the small ranges that a player requests.
  const hall = await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const begun = performance.now()
      const range = { range: `bytes=${at * 100_000}-${at * 100_000 + 99_999}` }
      const answer = await fetch(server.url + wav, { headers: range })
      return { bytes: (await answer.arrayBuffer()).byteLength, ms: performance.now() - begun }
    }),
  )
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.flatMap((socket) => (socket.closed ? [] : [once(socket, 'close')])))
  console.log(
    [
      `memory: before ${before.toFixed(0)} MB, 1,500 plain ${plain.toFixed(0)} MB, most ${most.toFixed(0)} MB`,
      `live: idle p99 ${idle.toFixed(1)} ms; while 1,500 connect ${connecting}`,
      `while 300 downloads are requested ${tagging}; while all stand still ${stalledLive}`,
      `hall: slowest ${Math.max(...hall.map(({ ms }) => ms)).toFixed(0)} ms`,
    ].join('\n'),
  )
  expect(hall.every(({ bytes }) => bytes === 100_000)).toBe(true)
  expect(most - before).toBeLessThan(150)
  await server.stop()
})
