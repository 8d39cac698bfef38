import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAudio, rewrapRecording } from '@fellowship/api/machine/audio/recording-files'
import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { EngineBrowser } from '../../e2e/engines/engine-browser.ts'
import { firefox } from '../../e2e/engines/firefox.ts'
import { webkit } from '../../e2e/engines/webkit.ts'
import { openBrowser } from '../../e2e/support/browser.ts'
import { nightly } from '../../e2e/support/in-soak.ts'
import { corpus, decodedSeconds, disagreements, makeSpeech } from './corpus.ts'

let folder: string
let speech: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'corpus-'))
  speech = await makeSpeech(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the product says of a recording, and the file that it publishes. */
async function judge(file: string) {
  try {
    const facts = await readAudio(file)
    const published = facts.isRewrapped ? `${file}.published.${facts.extension}` : file
    if (facts.isRewrapped) await rewrapRecording({ path: file, target: published })
    return { facts, published }
  } catch (error) {
    return { refusal: (error as Error).message }
  }
}

test('the corpus has at least 150 recordings, each of a name of its own', () => {
  expect(new Set(corpus.map(({ name }) => name)).size).toBeGreaterThanOrEqual(150)
})

nightly.each(corpus.map(({ name, ...rest }) => [name, rest] as const))(
  '%s',
  async (name, { verdict, make, undecodable = 0 }) => {
    const file = path.join(folder, name)
    await make(file, speech)
    const { facts, published, refusal } = await judge(file)
    const said =
      refusal === undefined ? (facts.wholeSeconds === undefined ? facts.extension : 'asked') : 'refused'
    expect([said, refusal]).toEqual([verdict, verdict === 'refused' ? refusal : undefined])
    if (!facts) return
    expect(Math.abs((await decodedSeconds(published)) - facts.durationSeconds)).toBeLessThan(
      0.15 + undecodable,
    )
    const again = await readAudio(published)
    expect([again.isRewrapped, again.wholeSeconds]).toEqual([false, undefined])
  },
)

/** One tab that runs expressions. */
type Tab = Pick<EngineBrowser, 'goto' | 'evaluate' | 'close'>

const engines: readonly (readonly [string, (profile: string) => Promise<Tab>])[] = [
  ['Chromium', openChromium],
  ['Firefox', (profile) => firefox.open({ profile })],
  ['WebKitGTK', (profile) => webkit.open({ profile })],
]

async function openChromium(): Promise<Tab> {
  const browser = await openBrowser()
  const page = await browser.context.newPage()
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  }
}

/** Seconds by the metadata, at the end of playing the last half second, and decoded; or the words of an error. */
interface Played {
  readonly element: number | string
  readonly end: number | string
  readonly decoded: number | string
}

/** Runs in the page. */
async function playIn(address: string): Promise<Played> {
  const audio = new Audio(address)
  audio.muted = true
  const event = (name: string, within: number) =>
    new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error(`no ${name}`))
      audio.addEventListener(name, () => resolve(), { once: true })
      audio.addEventListener('error', () => reject(new Error(audio.error?.message || 'refused')), {
        once: true,
      })
      setTimeout(late, within)
    })
  const told = (error: unknown) => String(error)
  const element = await event('loadedmetadata', 10_000).then(() => audio.duration, told)
  let end: number | string = 'not played'
  if (typeof element === 'number') {
    audio.currentTime = Math.max(0, element - 0.5)
    end = await Promise.all([event('ended', 10_000), audio.play()]).then(() => audio.currentTime, told)
  }
  audio.removeAttribute('src')
  const bytes = await (await fetch(address)).arrayBuffer()
  const decoded = await new OfflineAudioContext(1, 1, 48_000)
    .decodeAudioData(bytes)
    .then(({ duration }) => duration, told)
  return { element, end, decoded }
}

nightly.each(engines)(
  '%s plays every published recording to its length',
  async (engine, open) => {
    const server = createServer((request, response) => {
      if (request.url === '/')
        return void response.setHeader('content-type', 'text/html').end('<title>corpus</title>')
      const file = path.join(folder, decodeURIComponent(request.url!.slice(1)))
      response.setHeader('content-type', audioMime[extensionOf(file)])
      sendWhole(request, response, file).catch(() => response.writeHead(404).end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const tab = await open(path.join(folder, `profile-${engine}`))
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const wrong: string[] = []
    const names = await readdir(folder)
    for (const { name, undecodable = 0 } of corpus.filter((each) => each.verdict !== 'refused')) {
      const written = names.find((each) => each.startsWith(`${name}.published.`))
      const { durationSeconds, extension } = await readAudio(path.join(folder, written ?? name))
      extensions.set(written ?? name, extension)
      const address = `/${encodeURIComponent(written ?? name)}`
      const played = (await tab.evaluate(`(${String(playIn)})(${JSON.stringify(address)})`)) as Played
      const isNear = (seconds: number | string) =>
        typeof seconds === 'number' && Math.abs(seconds - durationSeconds) < 0.15 + undecodable
      const parts = (['element', 'end', 'decoded'] as const).filter((part) => !isNear(played[part]))
      const said = parts.map((part) => `${part} ${played[part]}`).join(', ')
      if (parts.length > 0 && !parts.every((part) => isKnown(engine, name, part)))
        wrong.push(`${name} (${extension}): ${durationSeconds.toFixed(2)}, ${said}`)
    }
    await tab.close()
    await new Promise((resolve) => server.close(resolve))
    expect(wrong).toEqual([])
  },
  1_800_000,
)

const isKnown = (engine: string, name: string, part: keyof Played) =>
  disagreements.some(
    (each) => (each.engine ?? engine) === engine && each.files.test(name) && each.parts.includes(part),
  )

/** Of the published file; one that is published as it came may have another ending. */
const extensions = new Map<string, AudioExtension>()
const extensionOf = (file: string) => extensions.get(path.basename(file)) ?? 'mp3'

/** Sends a file, or the range that players ask for. */
async function sendWhole(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
  const bytes = await readFile(file)
  const [, from = '0', to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const last = to ? Math.min(Number(to), bytes.length - 1) : bytes.length - 1
  response.setHeader('accept-ranges', 'bytes')
  if (request.headers.range !== undefined) {
    response.setHeader('content-range', `bytes ${from}-${last}/${bytes.length}`)
    response.statusCode = 206
  }
  response.end(bytes.subarray(Number(from), last + 1))
}
