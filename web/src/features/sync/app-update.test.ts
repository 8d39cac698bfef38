import { afterEach, describe, expect, test, vi } from 'vitest'
import { holdPage } from '../../lib/busy.ts'
import { appUpdate, handOverMs, takeOverMs } from './app-update.ts'

function page({ controlledAtStart = true } = {}) {
  let waiting = () => {}
  let controllerChange = () => {}
  const reload = vi.fn()
  const skipWaiting = vi.fn()
  const handOver = vi.fn()
  const update = appUpdate({
    controlledAtStart,
    onWaiting: (then) => (waiting = then),
    onControllerChange: (then) => (controllerChange = then),
    skipWaiting,
    handOver,
    reload,
  })
  return {
    update,
    reload,
    skipWaiting,
    handOver,
    waiting: () => waiting(),
    controllerChange: () => controllerChange(),
  }
}

const releases: (() => void)[] = []
const hold = () => releases.push(holdPage())
afterEach(() => {
  releases.splice(0).forEach((release) => release())
  vi.useRealTimers()
})

describe('a page is not reloaded', () => {
  test('a new version alone reloads no page', () => {
    const here = page()
    here.waiting()
    expect(here.update.state()).toBe('ready')
    expect(here.reload).not.toHaveBeenCalled()
    expect(here.skipWaiting).not.toHaveBeenCalled()
  })

  test('the first worker ever reloads no page', () => {
    const here = page({ controlledAtStart: false })
    here.controllerChange()
    expect(here.reload).not.toHaveBeenCalled()
    expect(here.update.state()).toBe('none')
  })

  test('no page reloads while it has unfinished work', () => {
    const here = page()
    hold()
    here.waiting()
    expect(here.update.apply()).toBe(false)
    expect(here.skipWaiting).not.toHaveBeenCalled()
    here.controllerChange()
    expect(here.update.state()).toBe('taken')
    expect(here.reload).not.toHaveBeenCalled()
  })
})

test('players end their requests to a worker that is not replaced at once', () => {
  vi.useFakeTimers()
  const here = page()
  here.waiting()
  here.update.apply()
  vi.advanceTimersByTime(handOverMs - 1)
  expect(here.handOver).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(here.handOver).toHaveBeenCalledOnce()
})

test('applying reloads once, when the new worker takes control', () => {
  const here = page()
  here.waiting()
  expect(here.update.apply()).toBe(true)
  expect(here.skipWaiting).toHaveBeenCalledOnce()
  expect(here.reload).not.toHaveBeenCalled()
  here.controllerChange()
  here.controllerChange()
  expect(here.reload).toHaveBeenCalledOnce()
})

describe('a new worker that does not take control', () => {
  test('does not reload while the page has unfinished work', () => {
    vi.useFakeTimers()
    const here = page()
    here.waiting()
    here.update.apply()
    hold()
    vi.advanceTimersByTime(takeOverMs)
    expect(here.reload).not.toHaveBeenCalled()
  })

  test('reloads once after the timeout', () => {
    vi.useFakeTimers()
    const here = page()
    here.waiting()
    here.update.apply()
    vi.advanceTimersByTime(takeOverMs - 1)
    expect(here.reload).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(here.reload).toHaveBeenCalledOnce()
    here.controllerChange()
    expect(here.reload).toHaveBeenCalledOnce()
  })
})

test('an update during the first page view reloads it', () => {
  const here = page({ controlledAtStart: false })
  here.controllerChange()
  here.waiting()
  here.update.apply()
  here.controllerChange()
  expect(here.reload).toHaveBeenCalledOnce()
})

test("reloads after another tab's consent and own work", () => {
  const here = page()
  hold()
  hold()
  here.controllerChange()
  releases.pop()!()
  expect(here.reload).not.toHaveBeenCalled()
  releases.pop()!()
  expect(here.reload).toHaveBeenCalledOnce()
})
