import { build } from 'esbuild'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EngineBrowser } from './engine-browser.ts'
import type { PageFinder, Target } from './target.ts'

/** A browser as a person uses it: every step waits until the page allows it. */
export interface Screen {
  readonly browser: EngineBrowser
  /** Opens an address and waits until the page reacts. */
  open(url: string): Promise<void>
  /** Moves the mouse a little, away from everything. */
  moveMouse(): Promise<void>
  click(target: Target): Promise<void>
  /** Replaces the words of a form control. */
  fill(target: Target, words: string): Promise<void>
  chooseFile(target: Target, file: string): Promise<void>
  /** Waits until it is visible. */
  see(target: Target): Promise<void>
  /** Waits until it is not. */
  gone(target: Target): Promise<void>
  /** Its visible text now, as shown. */
  texts(target: Target): Promise<string[]>
  /** Runs a function in the page; it sees its arguments and the page alone. */
  inPage<Arguments extends unknown[], Result>(
    inPage: (...given: Arguments) => Result | Promise<Result>,
    ...given: Arguments
  ): Promise<Result>
  /** Polls until the read value is the expected one. */
  comesTo<Value>(read: () => Promise<Value>, expected: Value): Promise<void>
  /** Address and words of the page, for the report of a failed test. */
  describe(): Promise<string>
}

export function screenOf(browser: EngineBrowser): Screen {
  const ask = async <Result>(call: string): Promise<Result> => {
    const asked = `globalThis.pageFinder ? { is: globalThis.pageFinder.${call} } : {}`
    let answer = (await browser.evaluate(`(${asked})`)) as { is?: Result }
    if (!('is' in answer)) {
      await browser.evaluate(await finderScript())
      answer = (await browser.evaluate(`(${asked})`)) as { is: Result }
    }
    return answer.is as Result
  }
  const texts = (target: Target) => ask<string[]>(`texts(${JSON.stringify(target)})`)
  const isThere = async (target: Target) => (await texts(target)).length > 0
  const inPage: Screen['inPage'] = async <Arguments extends unknown[], Result>(
    run: (...given: Arguments) => Result | Promise<Result>,
    ...given: Arguments
  ) => (await browser.evaluate(`(${run.toString()})(...${JSON.stringify(given)})`)) as Result

  let mouseAt = 0
  const screen: Screen = {
    browser,
    inPage,
    texts,
    async open(url) {
      await browser.goto(url)
      // Hydration is deferred until an interaction.
      await until(`${url} is ready`, () => inPage(() => !document.querySelector('[data-first]')))
      await screen.moveMouse()
    },
    async moveMouse() {
      // A move to the current position fires no event.
      mouseAt = mouseAt === 2 ? 8 : 2
      await browser.move(mouseAt, mouseAt)
    },
    async click(target) {
      // An element that moves between aiming and pressing is aimed at again.
      await until(`${JSON.stringify(target)} to be pressed`, async () => {
        const { x, y } = await aim(target)
        await ask(`guard(${JSON.stringify(target)})`)
        await browser.click(x, y)
        // The press may have led to another page, which knows of no guard.
        return ask<boolean>('unguard()').catch(() => true)
      })
    },
    async fill(target, words) {
      await screen.click(target)
      await inPage(() => (document.activeElement as HTMLInputElement).select())
      await browser.press('Backspace')
      await browser.type(words)
    },
    async chooseFile(target, file) {
      await until(JSON.stringify(target), () => isThere(target))
      await browser.chooseFile(`globalThis.pageFinder.find(${JSON.stringify(target)})`, file)
    },
    see: (target) => until(JSON.stringify(target), () => isThere(target)),
    gone: (target) => until(`no ${JSON.stringify(target)}`, async () => !(await isThere(target))),
    async comesTo(read, expected) {
      const wanted = JSON.stringify(expected)
      let last: string | undefined
      await until(
        () => `${wanted} instead of ${last}`,
        async () => (last = JSON.stringify(await read())) === wanted,
      )
    },
    describe: () =>
      inPage(() => {
        const named = [...document.querySelectorAll('[aria-label]')]
        const names = named.map((part) => part.getAttribute('aria-label'))
        return [location.href, document.body.innerText, ...names].join('\n')
      }),
  }

  /** The point of a target that can be pressed and does not move. */
  async function aim(target: Target): Promise<{ x: number; y: number }> {
    let point = { x: NaN, y: NaN }
    let problem = 'not there'
    await until(
      () => `${JSON.stringify(target)} to be pressed, but it is ${problem}`,
      async () => {
        const before = point
        const now = await ask<ReturnType<PageFinder['aim']>>(`aim(${JSON.stringify(target)})`)
        problem = 'problem' in now ? now.problem : 'moving'
        point = 'x' in now ? now : { x: NaN, y: NaN }
        return point.x === before.x && point.y === before.y
      },
    )
    return point
  }

  return screen
}

/** Generous, since tests run on busy machines. */
const waitMs = 60_000

/** Polls until the page says yes. A page that is being left answers with an error: not yet. */
async function until(wanted: string | (() => string), isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + waitMs
  let trouble: unknown
  while (Date.now() < end) {
    try {
      if (await isSo()) return
    } catch (error) {
      trouble = error
    }
    await pause(50)
  }
  const what = typeof wanted === 'string' ? wanted : wanted()
  throw new Error(`Waited for ${what}`, { cause: trouble })
}

let bundled: Promise<string> | undefined

/** The finder as one expression, bundled once. */
function finderScript(): Promise<string> {
  bundled ??= build({
    entryPoints: [path.join(import.meta.dirname, 'finder.ts')],
    bundle: true,
    format: 'iife',
    minify: true,
    target: 'es2022',
    write: false,
  }).then(({ outputFiles }) => `(() => { ${outputFiles[0]!.text} })()`)
  return bundled
}
