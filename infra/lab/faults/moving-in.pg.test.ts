import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { imports } from '@fellowship/schema/imports/imports.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { feedItem, feedOf, oldSite, recordingOf, send, type OldSite } from '@fellowship/api/testing/old-site'
import { startServer, type ServerProcess } from '@fellowship/api/testing/server-process'
import { copyStarted } from '@fellowship/api/testing/started-folder'
import { nightly } from '../../e2e/support/in-soak.ts'

const count = 1_000
const pageSize = 100
const minutes = 60_000
/** Items of the old site that cannot be fetched, by verdict or outcome. */
const faults: Readonly<Record<number, 'gone' | 'error' | 'no recording'>> = {
  5: 'gone',
  7: 'error',
  9: 'no recording',
}
const faultOf = (number: number) => faults[number % 100]

const dateOf = (number: number) =>
  new Date(Date.UTC(2000, 0, 2) + 7 * number * 86_400_000).toISOString().slice(0, 10)

/** An old site whose feed has ten pages and moved; its recordings are redirected, slow, busy, cut off or gone. */
async function troubledSite(): Promise<OldSite> {
  const site = await oldSite()
  const items: string[] = []
  const attempts = new Map<number, number>()
  const recording = async (number: number, request: IncomingMessage, response: ServerResponse) => {
    const tries = (attempts.get(number) ?? 0) + 1
    if (request.method === 'GET') attempts.set(number, tries)
    const bytes = await recordingOf(number)
    const isFirst = request.method === 'GET' && tries === 1
    if (number % 10 === 2) await delay(300)
    if (isFirst && number % 100 === 11) return response.writeHead(429, { 'retry-after': '1' }).end()
    if (isFirst && number % 10 === 3) {
      // Half of it, then a broken connection; the rest is asked for by Range.
      const headers = { 'content-length': bytes.length, etag: `"${bytes.length}"` }
      response.writeHead(200, { ...headers, 'content-type': 'audio/mpeg' })
      return response.write(bytes.subarray(0, bytes.length / 2), () =>
        setTimeout(() => response.destroy(), 20),
      )
    }
    return send(request, response, bytes)
  }
  for (let number = 0; number < count; number += 1) {
    const fault = faultOf(number)
    const at = `/files/${number}.mp3`
    const to = (location: string) => (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(301, { location, 'content-length': 0 }).end()
    const bytes = (request: IncomingMessage, response: ServerResponse) =>
      void recording(number, request, response)
    if (fault === 'error') site.answer(at, (_, response) => response.writeHead(500).end())
    else if (fault === undefined && number % 10 === 1) {
      site.answer(at, to(`/moved${at}`))
      site.answer(`/moved${at}`, bytes)
    } else if (fault === undefined && number % 10 === 4) {
      site.answer(at, to(`/a${at}`))
      site.answer(`/a${at}`, to(`${site.url}/b${at}`))
      site.answer(`/b${at}`, to(`/c${at}`))
      site.answer(`/c${at}`, bytes)
    } else if (fault === undefined) site.answer(at, bytes)
    items.unshift(
      feedItem({
        title: `Old ${number}`,
        guid: `old-${number}`,
        link: `${site.url}/sermons/${number}/`,
        pubDate: `${new Date(`${dateOf(number)}T10:00:00Z`).toUTCString().replace('GMT', '')}+1200`,
        'itunes:author': `Speaker ${number % 7}`,
        ...(fault !== 'no recording' && { enclosure: site.url + at }),
      }),
    )
  }
  for (let page = 0; page * pageSize < count; page += 1) {
    const next = `<atom:link rel="next" href="${site.url}/podcast?page=${page + 1}"/>`
    const part = items.slice(page * pageSize, (page + 1) * pageSize)
    const channel = (page + 1) * pageSize < count ? next : ''
    site.answer(page === 0 ? '/podcast' : `/podcast?page=${page}`, feedOf(part, channel))
  }
  site.answer('/feed', (_, response) => response.writeHead(301, { location: '/podcast' }).end())
  return site
}

nightly(
  'a thousand items survive three kills, each once and in order',
  async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'moving-in-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
    await copyStarted(dataDir)
    const site = await troubledSite()
    const start = () => startServer(dataDir, { IMPORT_PRIVATE_HOSTS: site.host })
    let server: ServerProcess = await start()
    onTestFinished(async () => void (await server.stop()))
    let admin = await server.signIn()

    const began = performance.now()
    const { id } = await call(imports.create, { body: { source: `${site.url}/feed` } }, admin)
    const read = () => call(imports.read, { params: { id }, signal: AbortSignal.timeout(30_000) }, admin)
    const state = async () => (await call(imports.list, {}, admin)).find((one) => one.id === id)!
    await expect.poll(async () => (await state()).state, { timeout: minutes, interval: 200 }).toBe('ready')
    const dryRunMs = performance.now() - began
    const dryRun = await read()
    expect(dryRun.counts).toMatchObject({ total: count, no_audio: 10 })
    expect(dryRunMs).toBeLessThan(30_000)

    await call(imports.confirm, { params: { id }, body: {} }, admin)
    const confirmed = performance.now()
    for (const kept of [150, 450, 750]) {
      await expect
        .poll(async () => (await state()).counts.imported, { timeout: 5 * minutes, interval: 50 })
        .toBeGreaterThanOrEqual(kept)
      await server.kill()
      server = await start()
      admin = await server.signIn()
    }
    await expect.poll(async () => (await state()).state, { timeout: 9 * minutes, interval: 500 }).toBe('done')
    console.info(
      `dry run ${Math.round(dryRunMs)} ms, import ${Math.round((performance.now() - confirmed) / 1000)} s`,
    )

    const wanted = Array.from({ length: count }, (_, number) => number)
      .filter((number) => faultOf(number) === undefined)
      .reverse()
    const library = await call(teachings.list, {}, { fetch, base: server.url })
    expect(library.map(({ title, date, speaker }) => [title, date, speaker])).toEqual(
      wanted.map((number) => [`Old ${number}`, dateOf(number), `Speaker ${number % 7}`]),
    )
    const feed = await (await fetch(`${server.url}/feed.xml`)).text()
    expect(feed.match(/(?<=<guid isPermaLink="false">)[^<]+/g)).toEqual(
      wanted.map((number) => `old-${number}`),
    )
    const lost = (await read()).items.filter(({ outcome }) => outcome !== 'imported')
    expect(lost.map(({ guid }) => guid)).toEqual(
      Array.from({ length: count }, (_, number) => number)
        .filter((number) => faultOf(number) !== undefined)
        .map((number) => `old-${number}`),
    )
  },
  20 * minutes,
)
