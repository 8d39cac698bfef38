import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { formBody, longWav, sendForm, storedFiles } from '../../testing/multipart.ts'
import { holdWriters } from '../../testing/server-database.ts'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'
import { copyStarted } from '../../testing/started-folder.ts'
import type { TestClient } from '../../testing/test-app.ts'

// The whole server is killed and started several times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'crash-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir)
})
afterAll(async () => {
  expect(await server?.stop()).toBe(0)
  await rm(dataDir, { recursive: true, force: true })
})

const list = () => call(teachings.list, {}, { fetch, base: server.url })
const wavFile = (seed: number, bytes = 300_000) =>
  new File(
    [...longWav(bytes, seed)].map((piece) => new Uint8Array(piece)),
    'x.wav',
  )
const add = (client: TestClient, day: number, seed: number, bytes?: number) =>
  call(
    uploads.smartUpload,
    {
      body: { title: `Day ${day}`, speaker: 'John Smith', date: `2026-01-${String(day).padStart(2, '0')}` },
      files: { audioFile: wavFile(seed, bytes) },
    },
    client,
  )

test.skipIf(!existsSync('/proc/self/status'))('receives 100 MB in less than 50 MB of memory', async () => {
  const client = await server.signIn()
  await add(client, 28, 28)
  const { csrfToken } = await call(auth.csrfToken, {}, client)
  const before = peakMegabytes(server.pid)
  const parts = [{ name: 'audioFile', filename: '2026-11-22_A-B"C".wav', body: longWav(maxUploadBytes) }]
  const answer = await sendForm(client, '/api/sermons/smart-upload', formBody(parts), {
    headers: { 'x-csrf-token': csrfToken },
  })
  expect(answer.status).toBe(200)
  const grown = peakMegabytes(server.pid) - before
  console.log(`peak memory grew by ${grown.toFixed(1)} MB`)
  expect(grown).toBeLessThan(50)
})

test('a kill leaves no file of an upload, half sent or before its commit', async () => {
  const client = await server.signIn()
  const before = await storedFiles(dataDir)
  const known = (await list()).length
  const request = http.request(`${server.url}/api/sermons/smart-upload`, {
    method: 'POST',
    agent: false,
    headers: {
      cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'x-csrf-token': (await call(auth.csrfToken, {}, client)).csrfToken,
      'content-type': 'multipart/form-data; boundary=xYzZyBoundary',
    },
  })
  request.on('error', () => undefined)
  const parts = [{ name: 'audioFile', filename: '2026-11-22_A-B"C".wav', body: longWav(8_000_000) }]
  for (const chunk of formBody(parts, { close: false })) request.write(chunk)
  await expect.poll(async () => (await storedFiles(dataDir)).staging).toHaveLength(1)
  const holder = await holdWriters(dataDir)
  const upload = add(client, 27, 27).then(
    () => 'accepted',
    () => 'cut off',
  )
  await expect.poll(async () => (await storedFiles(dataDir)).audio).toHaveLength(before.audio.length + 1)
  const { staging } = await storedFiles(dataDir)
  await server.kill()
  await holder.end()
  expect(await upload).toBe('cut off')
  expect([staging.length, staging.filter((name) => name.endsWith('.note')).length]).toEqual([2, 1])

  server = await startServer(dataDir)
  expect(await storedFiles(dataDir)).toEqual(before)
  expect(await list()).toHaveLength(known)
  await add(await server.signIn(), 27, 27)
  expect(await list()).toHaveLength(known + 1)
})

/** How long after an acknowledgement the server is killed, in milliseconds. */
const killsAfterMs = process.env['LONG_JOURNEYS'] ? [20, 150, 310, 80] : [20, 310]

test('kills during uploads and edits lose no acknowledged teaching', async () => {
  const acknowledged = new Map<number, string>()
  let seed = 100
  for (const [round, killAfterMs] of killsAfterMs.entries()) {
    const client = await server.signIn()
    let running = true
    const uploader = async () => {
      for (let day = 1 + round * 6; running && day <= 6 + round * 6; day++) {
        const { teaching } = await add(client, day, ++seed, 2_000_000)
        acknowledged.set(teaching.id, teaching.title)
      }
    }
    const editor = async () => {
      while (running) {
        const [id] = [...acknowledged.keys()].slice(-1)
        if (id === undefined) {
          await delay(10)
          continue
        }
        const row = (await list()).find((teaching) => teaching.id === id)!
        const body = { title: `Edited ${++seed}`, speaker: row.speaker, date: row.date }
        const edited = await call(
          teachings.update,
          { params: { id }, body, files: { audioFile: wavFile(seed) } },
          client,
        )
        acknowledged.set(id, edited.title)
      }
    }
    // The kill breaks requests off.
    const work = [uploader(), editor()].map((task) => task.catch(() => undefined))
    const before = acknowledged.size
    for (let tries = 0; tries < 4_000 && acknowledged.size === before; tries++) await delay(10)
    await delay(killAfterMs)
    running = false
    await server.kill()
    await Promise.all(work)

    server = await startServer(dataDir)
    const rows = await list()
    for (const [id, title] of acknowledged) {
      const row = rows.find((teaching) => teaching.id === id)
      // If its answer was lost, an edit may still have been committed.
      expect(row?.title === title || row?.title.startsWith('Edited')).toBe(true)
    }
    const { staging, audio } = await storedFiles(dataDir)
    expect(staging).toEqual([])
    for (const { audioUrl, audioBytes } of rows) {
      const sent = await fetch(server.url + audioUrl!)
      expect([sent.status, (await sent.arrayBuffer()).byteLength]).toEqual([200, audioBytes])
    }
    for (const name of audio) {
      const { status } = await fetch(`${server.url}/audio/${name}`, { method: 'HEAD', redirect: 'manual' })
      expect([200, 302]).toContain(status)
    }
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(killsAfterMs.length)
})

/** The peak resident memory of a process (VmHWM of proc(5)). */
function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024
}
