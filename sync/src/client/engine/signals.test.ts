import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import { expect, onTestFinished, test, vi } from 'vitest'

/** A page without listeners so far, with the signals of three listeners. */
async function page() {
  vi.useFakeTimers({ toFake: ['performance'] })
  const [window, document] = [
    new EventTarget(),
    Object.assign(new EventTarget(), { visibilityState: 'visible' }),
  ]
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', document)
  vi.resetModules()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const { onSignal } = await import('./signals.ts')
  const told: string[] = []
  const stops = ['first', 'second', 'third'].map((name) =>
    onSignal((signal) => told.push(`${name} ${signal}`)),
  )
  return {
    stops,
    told: () => told.splice(0),
    online: () => window.dispatchEvent(new Event('online')),
    turn: (visibilityState: 'visible' | 'hidden') => {
      document.visibilityState = visibilityState
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}

const all = (signal: string) => [`first ${signal}`, `second ${signal}`, `third ${signal}`]

test('hiding or returning within a minute signals nothing', async () => {
  const { turn, told } = await page()
  turn('hidden')
  expect(told()).toEqual([])
  turn('visible')
  expect(told()).toEqual(all('visible'))
  vi.advanceTimersByTime(visibleAgainMs - 1)
  turn('visible')
  expect(told()).toEqual([])
  vi.advanceTimersByTime(1)
  turn('hidden')
  expect(told()).toEqual([])
  turn('visible')
  expect(told()).toEqual(all('visible'))
})

test('a stopped listener gets no signal', async () => {
  const { stops, online, told } = await page()
  stops[0]!()
  online()
  expect(told()).toEqual(['second online', 'third online'])
})

test('signals online once to every listener', async () => {
  const { online, told } = await page()
  online()
  expect(told()).toEqual(all('online'))
  online()
  expect(told()).toEqual(all('online'))
})
