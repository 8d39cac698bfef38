import type { Line } from '../../line/line.ts'
import { profiles, type Profile } from '../../line/profiles.ts'
import type { Area, Run } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { openBare, openProduct, type Listener } from '../listener.ts'
import { longRecording, publish } from '../recording.ts'
import { median, medianAndRange, ratioText } from '../rounds.ts'

const rounds = 7
/** Four minutes at 32 kbit/s, as small copies are. */
const bytes = 1_000_000
const lines = ['3G', 'weak 4G', 'town']

/** From the press to the sound, on poor lines, beside a bare page with one audio element. */
export const tapToSound: Area = {
  name: 'tap-to-sound',
  needs: [],
  async run(run) {
    const library = await startLibrary()
    run.onEnd(() => library.stop())
    const recordings = await publishSome(library, (rounds + 1) * lines.length)
    const browser = await benchBrowser(run)
    for (const name of lines) {
      const quality = profiles.find((profile) => profile.name === name)!
      const own = await browser.newContext()
      const bare = await browser.newContext({ serviceWorkers: 'block' })
      const listeners = [
        await openProduct(own, library, quality),
        await openBare(bare, library, quality),
      ] as const
      await measure(run, quality, listeners, recordings.splice(0, rounds + 1))
      for (const listener of listeners) await listener.stop()
      await Promise.all([own.close(), bare.close()])
    }
  },
}

interface Published {
  title: string
  audioUrl: string
}

async function publishSome(library: BenchLibrary, count: number): Promise<Published[]> {
  const made: Published[] = []
  for (let number = 0; number < count; number += 1) {
    const title = `Number ${String(number).padStart(2, '0')}`
    made.push({ title, audioUrl: await publish(library, await longRecording(bytes, number), title) })
  }
  return made
}

/** Resolves when no byte has passed for a second. */
async function quiet(line: Line): Promise<void> {
  for (let before = -1; line.received() > before;) {
    before = line.received()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function measure(
  { report }: Run,
  { name, rate, delay }: Profile,
  [product, bare]: readonly [Listener, Listener],
  recordings: readonly Published[],
): Promise<void> {
  const first: number[] = []
  const again: number[] = []
  const yardstick: number[] = []
  for (const [round, recording] of recordings.entries()) {
    const times = [await product.tap(recording), await bare.tap(recording)] as const
    // Its request would keep the line busy.
    await bare.page.evaluate(() => {
      const audio = document.querySelector('audio')!
      audio.removeAttribute('src')
      audio.load()
    })
    await product.page
      .getByRole('button', { name: `Pause and close ${recording.title}` })
      .first()
      .click()
    const second = await product.tap(recording)
    await product.page
      .getByRole('button', { name: `Pause and close ${recording.title}` })
      .first()
      .click()
    // Covers and downloads of this round must not delay the next one.
    await quiet(product.line)
    // The first one warms up both.
    if (round === 0) continue
    first.push(times[0])
    yardstick.push(times[1])
    again.push(second)
  }
  const ratios = first.map((time, at) => time / yardstick[at]!)
  const where = `${name}: ${rate / 1000} kbit/s, ${delay} ms`
  const isOfGoal = name === '3G'
  report({
    work: `tap to sound, ${where}`,
    product: medianAndRange(first),
    yardstick: `bare element ${medianAndRange(yardstick)}`,
    ratio: ratioText(ratios),
    target: isOfGoal ? '≤ 1.1 ×, ≤ 1500 ms' : '≤ 1.1 ×',
    met: median(ratios) <= 1.1 && (!isOfGoal || median(first) <= 1_500),
  })
  report({
    work: `the second tap, ${where}`,
    product: medianAndRange(again),
    yardstick: '–',
    ratio: '–',
    target: '≤ 300 ms',
    met: median(again) <= 300,
  })
}
