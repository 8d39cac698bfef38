import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAudio, rewrapRecording } from '@fellowship/api/machine/audio/recording-files'
import { openBrowser } from '../../e2e/support/browser.ts'
import { nightly } from '../../e2e/support/in-soak.ts'
import { corpus, decodedSeconds, makeSpeech } from './corpus.ts'

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

nightly(
  'decodes every published recording to its length',
  async () => {
    const server = createServer((request, response) => {
      if (request.url === '/')
        return void response.setHeader('content-type', 'text/html').end('<title>corpus</title>')
      createReadStream(path.join(folder, decodeURIComponent(request.url!.slice(1))))
        .on('error', () => response.writeHead(404).end())
        .pipe(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await openBrowser()
    const page = await browser.context.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const wrong: string[] = []
    const names = new Set(await readdir(folder))
    for (const { name, verdict, undecodable = 0 } of corpus.filter((each) => each.verdict !== 'refused')) {
      const written = [...names].find((each) => each.startsWith(`${name}.published.`))
      const { durationSeconds } = await readAudio(path.join(folder, written ?? name))
      const seconds = await page.evaluate(
        async (address) => {
          const bytes = await (await fetch(address)).arrayBuffer()
          const context = new OfflineAudioContext(1, 1, 48_000)
          return context.decodeAudioData(bytes).then(
            ({ duration }) => duration,
            (error: Error) => String(error),
          )
        },
        `/${encodeURIComponent(written ?? name)}`,
      )
      const isAlike = typeof seconds === 'number' && Math.abs(seconds - durationSeconds) < 0.15 + undecodable
      if (!isAlike) wrong.push(`${name} (${verdict}): ${durationSeconds.toFixed(2)}, Chromium ${seconds}`)
    }
    await browser.close()
    await new Promise((resolve) => server.close(resolve))
    expect((await stat(folder)).isDirectory()).toBe(true)
    expect(wrong).toEqual([])
  },
  600_000,
)
