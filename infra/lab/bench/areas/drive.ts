import type { Page } from 'playwright-core'
import { compressed, profiles, type Profile } from '../../line/profiles.ts'
import type { Area, Run } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { openBare, openProduct, type Listener } from '../listener.ts'
import { longRecording, publish } from '../recording.ts'

/** How many times as fast as life: so much faster plays the element, and so much shorter are the dead spots. */
const pace = Number(process.env['DRIVE_PACE'] ?? 10)
/** An hour at 32 kbit/s. */
const bytes = 14_400_000
const title = 'On the road'

/** An hour of driving between dead spots, compressed, beside a bare page with one audio element. */
export const drive: Area = {
  name: 'drive',
  needs: [],
  async run(run) {
    const library = await startLibrary()
    run.onEnd(() => library.stop())
    const recording = { title, audioUrl: await publish(library, await longRecording(bytes, 1), title) }
    const browser = await benchBrowser(run)
    for (const profile of profiles.filter(({ deadSpots }) => deadSpots.length > 0)) {
      const quick = compressed(profile, pace)
      const own = await browser.newContext()
      const bare = await browser.newContext({ serviceWorkers: 'block' })
      const product = await openProduct(own, library, quick)
      const yardstick = await openBare(bare, library, quick)
      const [heard, beside] = await Promise.all(
        [product, yardstick].map((listener) => driven(listener, recording, quick)),
      )
      reportDrive(run, profile, heard!, beside!)
      for (const listener of [product, yardstick]) await listener.stop()
      await Promise.all([own.close(), bare.close()])
    }
  },
}

interface Drive {
  /** Seconds of the hour without sound, after the first sound. */
  silent: number
  /** Bytes fetched, and bytes of the sound that was played. */
  fetched: number
  heard: number
  /** Seconds that the main thread of the page worked. */
  busy: number
  /** Milliseconds from the signal to the sound, of the stalls that ended with it. */
  back: number[]
}

async function driven(
  listener: Listener,
  recording: { title: string; audioUrl: string },
  { length, deadSpots }: Profile,
): Promise<Drive> {
  const { page, line } = listener
  const before = line.received()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const busyAt = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value
  await listener.tap(recording)
  const busyBefore = await busyAt()
  await page.evaluate(watchSound, pace)
  const start = performance.now()
  const until = (seconds: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, seconds * 1000 - (performance.now() - start))))
  const back: number[] = []
  for (const { from, to } of deadSpots) {
    await until(from)
    line.setSignal(false)
    await until(to)
    const wasSilent = await isSilent(page)
    line.setSignal(true)
    if (wasSilent) back.push(await soundIsBack(page))
  }
  await until(length)
  const { silentMs, position, duration } = await page.evaluate(
    () => (globalThis as unknown as { watchedSound: WatchedSound }).watchedSound,
  )
  return {
    silent: (silentMs / 1000) * pace,
    fetched: line.received() - before,
    heard: (position / duration) * bytes,
    busy: (await busyAt()) - busyBefore,
    back,
  }
}

interface WatchedSound {
  silentMs: number
  silentNow: boolean
  position: number
  duration: number
}

/** In the page: plays faster, and counts the time in which the position stands still. */
function watchSound(rate: number): void {
  const audio = document.querySelector('audio')!
  const hurry = () => {
    audio.preservesPitch = false
    if (audio.playbackRate !== rate) audio.playbackRate = audio.defaultPlaybackRate = rate
  }
  hurry()
  audio.addEventListener('ratechange', hurry)
  audio.addEventListener('loadedmetadata', hurry)
  const watched: WatchedSound = {
    silentMs: 0,
    silentNow: false,
    position: audio.currentTime,
    duration: audio.duration,
  }
  Object.assign(globalThis, { watchedSound: watched })
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    const { currentTime, ended } = audio
    const isOver = ended || watched.position >= watched.duration - 1
    watched.silentNow = !isOver && currentTime <= watched.position
    if (watched.silentNow) watched.silentMs += now - last
    watched.position = Math.max(watched.position, currentTime)
    last = now
  }, 100)
}

const isSilent = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { watchedSound: WatchedSound }).watchedSound.silentNow)

/** Waits no longer than a minute: the next dead spot follows. */
async function soundIsBack(page: Page): Promise<number> {
  const start = performance.now()
  while ((await isSilent(page)) && performance.now() - start < 60_000) await page.waitForTimeout(50)
  return performance.now() - start
}

function reportDrive({ report }: Run, { name, deadSpots }: Profile, heard: Drive, beside: Drive): void {
  const dead = deadSpots.reduce((sum, { from, to }) => sum + to - from, 0)
  const where = `${name}, ${deadSpots.length} dead spots of ${Math.round(dead / 60)} min together`
  const seconds = (value: number) => `${value.toFixed(0)} s`
  const share = ({ fetched, heard: listened }: Drive) => fetched / listened
  const slowest = ({ back }: Drive) => (back.length === 0 ? '–' : `${Math.max(...back).toFixed(0)} ms`)
  report({
    work: `silent in an hour, ${where}`,
    product: seconds(heard.silent),
    yardstick: `bare element ${seconds(beside.silent)}`,
    ratio: '–',
    target: '0 s',
    // A sampling of a tenth of a second, times the pace.
    met: heard.silent < pace,
  })
  report({
    work: `bytes fetched ÷ heard, ${name}`,
    product: share(heard).toFixed(2),
    yardstick: `bare element ${share(beside).toFixed(2)}`,
    ratio: `${(share(heard) / share(beside)).toFixed(2)} ×`,
    target: '≤ 1.15',
    met: share(heard) <= 1.15,
  })
  report({
    work: `the page’s main thread at work in ${3600 / pace} s, ${name}`,
    product: `${heard.busy.toFixed(1)} s`,
    yardstick: `bare element ${beside.busy.toFixed(1)} s`,
    ratio: '–',
    target: '–',
    met: true,
  })
  report({
    work: `from the signal to the sound, the slowest of the stalls, ${name}`,
    product: slowest(heard),
    yardstick: `bare element ${slowest(beside)}`,
    ratio: '–',
    target: '≤ 2000 ms',
    met: heard.back.every((ms) => ms <= 2_000),
  })
}
