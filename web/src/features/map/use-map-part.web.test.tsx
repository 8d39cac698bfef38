import { act, render, screen } from '@testing-library/react'
import { useRef, type ComponentType } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { mapStylesheetWaitMs } from '../../ui/timings.ts'
import { useMapPart, type MapPartProps } from './use-map-part.ts'

/** An IntersectionObserver that reports every element as near. */
class NearAtOnce {
  readonly tell: IntersectionObserverCallback
  constructor(tell: IntersectionObserverCallback) {
    this.tell = tell
  }
  observe() {
    this.tell(
      [{ isIntersecting: true } as IntersectionObserverEntry],
      this as unknown as IntersectionObserver,
    )
  }
  disconnect() {}
}

let online = true
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('IntersectionObserver', NearAtOnce)
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => online)
})
afterEach(() => {
  online = true
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const Map = ({ onFailed }: MapPartProps) => <button onClick={onFailed}>the map</button>
type Load = () => Promise<ComponentType<MapPartProps>>

function Card({ load }: { load: Load }) {
  const place = useRef<HTMLDivElement>(null)
  const { part, fail } = useMapPart(place, load)
  return (
    <div ref={place}>
      {part.status === 'ready' ? <part.Map onAsk={() => {}} onFailed={fail} /> : <p>{part.status}</p>}
    </div>
  )
}
const show = async (load: Load) => {
  render(<Card load={load} />)
  await act(async () => {})
}
const waitMs = (ms: number) => act(async () => vi.advanceTimersByTime(ms))
const shown = () => document.body.textContent

describe('the map part', () => {
  test('fails at once when the module fails to load', async () => {
    await show(() => Promise.reject(new Error('Unable to preload CSS')))
    expect(shown()).toBe('failed')
  })

  test('fails at once while offline', async () => {
    online = false
    const load = vi.fn(() => Promise.resolve(Map))
    await show(load)
    expect(shown()).toBe('failed')
    expect(load).not.toHaveBeenCalled()
  })

  test('ignores a module that loads after 2 seconds', async () => {
    let arrive: (part: ComponentType<MapPartProps>) => void = () => {}
    await show(() => new Promise((resolve) => (arrive = resolve)))
    await waitMs(mapStylesheetWaitMs - 1)
    expect(shown()).toBe('waiting')
    await waitMs(1)
    expect(shown()).toBe('failed')
    await act(async () => arrive(Map))
    expect(shown()).toBe('failed')
  })

  test('fails when the map reports that its tiles fail', async () => {
    await show(() => Promise.resolve(Map))
    act(() => screen.getByText('the map').click())
    expect(shown()).toBe('failed')
  })
})

test('stays ready when the module loads in time', async () => {
  await show(() => Promise.resolve(Map))
  await waitMs(mapStylesheetWaitMs * 2)
  expect(shown()).toBe('the map')
})

test('retries when the browser comes online', async () => {
  online = false
  await show(() => Promise.resolve(Map))
  expect(shown()).toBe('failed')
  online = true
  await act(async () => window.dispatchEvent(new Event('online')))
  expect(shown()).toBe('the map')
})
