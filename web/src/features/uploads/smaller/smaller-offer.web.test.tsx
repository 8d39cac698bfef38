import { maxUploadMegabytes } from '@fellowship/schema/uploads/uploads.limits'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Draft } from '../draft.ts'
import { makeSmaller } from './make-smaller.ts'
import { SmallerOffer } from './smaller-offer.tsx'
import type { SmallerAnswer } from './smaller.worker.ts'

/** Answers as the worker does, which happy-dom cannot run. */
class ScriptedWorker extends EventTarget {
  static started: ScriptedWorker[] = []
  asked: unknown
  terminate = vi.fn()
  constructor() {
    super()
    ScriptedWorker.started.push(this)
  }
  postMessage(request: unknown) {
    this.asked = request
  }
  answer(data: SmallerAnswer) {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}
const worker = () => ScriptedWorker.started.at(-1)!

beforeEach(() => {
  ScriptedWorker.started = []
  vi.stubGlobal('Worker', ScriptedWorker)
})
afterEach(() => void vi.unstubAllGlobals())

const mb = 1024 * 1024
function wav(size: number, name = 'Sunday.wav'): File {
  const file = new File(['sound'], name, { lastModified: 5 })
  Object.defineProperty(file, 'size', { value: size })
  return file
}
const draft = (given: Partial<Draft>): Draft => ({
  id: 3,
  file: wav(60 * mb),
  step: 'editing',
  fields: null,
  parse: null,
  problem: null,
  withoutCheck: false,
  ...given,
})
function show(given: Partial<Draft>) {
  const send = vi.fn()
  const view = render(<SmallerOffer draft={draft(given)} send={send} />)
  const again = (next: Partial<Draft>) => view.rerender(<SmallerOffer draft={draft(next)} send={send} />)
  return { send, again, words: () => view.container.textContent }
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

describe('the offer', () => {
  test.each([
    [60 * mb, 4 * mb, 44, 'Shrink before uploading? 60.0 → 4.0 MB, under a minute.Make it smaller'],
    [60 * mb, 4 * mb, 45, 'Shrink before uploading? 60.0 → 4.0 MB, about 1 minute.Make it smaller'],
    [60 * mb, 40 * mb - 1, 170, 'Shrink before uploading? 60.0 → 40.0 MB, about 3 minutes.Make it smaller'],
    [60 * mb, 40 * mb, 30, ''],
  ])('offers for %i bytes that become %i in %i s', async (size, bytes, seconds, words) => {
    const at = show({ file: wav(size) })
    expect(at.words()).toBe('')
    worker().answer({ kind: 'measured', bytes, seconds })
    await expect.poll(at.words).toBe(words)
    expect(worker().terminate).toHaveBeenCalledOnce()
  })

  test('is made at a press', async () => {
    const { send } = show({})
    worker().answer({ kind: 'measured', bytes: 4 * mb, seconds: 9 })
    await screen.findByRole('button', { name: 'Make it smaller' })
    await press('Make it smaller')
    expect(send).toHaveBeenCalledWith({ type: 'smallerWanted', id: 3 })
  })

  test('says at once that a file is too large', async () => {
    const { words } = show({ file: wav(251 * mb) })
    expect(words()).toBe(`It is larger than ${maxUploadMegabytes} MB, too large to send as it is. `)
    worker().dispatchEvent(new Event('error'))
    await expect
      .poll(words)
      .toBe(`It is larger than ${maxUploadMegabytes} MB, too large to send as it is. Send it as an MP3.`)
  })

  test('measures another file anew, and ends the first', async () => {
    const at = show({})
    const first = worker()
    at.again({ file: wav(30 * mb) })
    await expect.poll(() => first.terminate.mock.calls.length).toBe(1)
    first.answer({ kind: 'measured', bytes: 4 * mb, seconds: 9 })
    worker().answer({ kind: 'measured', bytes: 2 * mb, seconds: 9 })
    await expect.poll(at.words).toContain('30.0 → 2.0 MB')
  })
})

test('shows the progress, and stops', async () => {
  const { send, again, words } = show({ making: 0.129 })
  expect(words()).toBe('Making it smaller: 12 %.Stop')
  expect(screen.getByRole('progressbar').getAttribute('value')).toBe('0.129')
  await press('Stop')
  expect(send).toHaveBeenCalledWith({ type: 'originalWanted', id: 3 })
  again({ making: 0.5, waits: true })
  expect(words()).toBe('Making it smaller: 50 %. It is sent when that is done.Stop')
  expect(ScriptedWorker.started).toEqual([])
})

test('offers the original, unless it is too large', async () => {
  const small = wav(4 * mb, 'Sunday.mp3')
  const { send, again, words } = show({ file: small, original: wav(60 * mb) })
  expect(words()).toContain('Made smaller: 60.0 MB → 4.0 MB. Your original is unchanged.')
  await press('Send the original instead')
  expect(send).toHaveBeenCalledWith({ type: 'originalWanted', id: 3 })
  again({ file: small, original: wav(251 * mb) })
  expect(screen.queryByRole('button')).toBeNull()
})

describe('making it smaller', () => {
  const make = (stop = new AbortController()) => {
    const shares: number[] = []
    const made = makeSmaller(wav(60 * mb), stop.signal, (share) => shares.push(share))
    return { made, shares, stop }
  }

  test('reports its progress and returns an MP3', async () => {
    const { made, shares } = make()
    worker().answer({ kind: 'share', share: 0.5 })
    worker().answer({ kind: 'made', blob: new Blob(['small']) } as SmallerAnswer)
    const file = (await made)!
    expect([file.name, file.type, file.size, file.lastModified]).toEqual(['Sunday.mp3', 'audio/mpeg', 5, 5])
    expect(shares).toEqual([0.5])
    expect(worker().asked).toMatchObject({ kind: 'make' })
  })

  test('returns nothing if it fails or is stopped', async () => {
    const failed = make()
    worker().answer({ kind: 'failed' })
    expect(await failed.made).toBeUndefined()
    const stopped = make()
    stopped.stop.abort()
    expect(await stopped.made).toBeUndefined()
    expect(worker().terminate).toHaveBeenCalledOnce()
  })

  test('returns nothing if it is stopped as it ends', async () => {
    const { made, stop } = make()
    worker().answer({ kind: 'made', blob: new Blob(['small']) } as SmallerAnswer)
    stop.abort()
    expect(await made).toBeUndefined()
  })
})
