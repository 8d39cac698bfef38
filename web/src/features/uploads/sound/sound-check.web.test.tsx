import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { soundAnswerOf } from './shown-sounds.ts'
import { SoundCheck } from './sound-check.tsx'
import type { SoundAnswer } from './sound.worker.ts'

/** Answers as the worker does, which happy-dom cannot run. */
class ScriptedWorker extends EventTarget {
  static started: ScriptedWorker[] = []
  file!: File
  terminate = vi.fn()
  constructor() {
    super()
    ScriptedWorker.started.push(this)
  }
  postMessage(file: File) {
    this.file = file
  }
  answer(data: SoundAnswer) {
    return act(async () => void this.dispatchEvent(new MessageEvent('message', { data })))
  }
}
const begun = async (count: number) => {
  await expect.poll(() => ScriptedWorker.started.length).toBe(count)
  return ScriptedWorker.started.at(-1)!
}
const recording = (name = 'a.mp3') => new File(['sound'], name)

beforeEach(() => {
  ScriptedWorker.started = []
  vi.stubGlobal('Worker', ScriptedWorker)
})
afterEach(() => void vi.unstubAllGlobals())

function show(file = recording(), sent = file) {
  const onRead = vi.fn()
  const { container, rerender, unmount } = render(<SoundCheck file={file} sent={sent} onRead={onRead} />)
  return { file, sent, onRead, rerender, unmount, words: () => container.textContent }
}

test('a browser without workers checks nothing', () => {
  vi.stubGlobal('Worker', undefined)
  expect(show().words()).toBe('')
})

test.each<[SoundAnswer, string]>([
  [{ kind: 'heard', faults: [], notes: [] }, 'Sound is good.'],
  [
    { kind: 'heard', faults: ['hum'], notes: [] },
    'It hums: look for a loose cable, or a power supply near the microphone.',
  ],
  [{ kind: 'heard', faults: [], notes: ['Cut off.'] }, 'Cut off.'],
  [
    { kind: 'heard', faults: ['silent_start'], notes: [] },
    'It begins with a long silence.You can trim it after uploading.',
  ],
  [
    { kind: 'heard', faults: ['silent_end'], notes: ['Cut off.'] },
    'It ends with a long silence.Cut off.You can trim it after uploading.',
  ],
  [{ kind: 'refused', sentence: 'This is no recording.' }, 'This is no recording.'],
  [{ kind: 'unknown' }, 'How it sounds could not be checked here: listen to a part of it.'],
])('shows the answer %j as: %s', async (answer, words) => {
  const at = show(recording(), recording('small.mp3'))
  const worker = await begun(1)
  await worker.answer(answer)
  expect(at.words()).toBe(words)
  expect(worker.terminate).toHaveBeenCalledOnce()
  expect(at.onRead).toHaveBeenLastCalledWith(answer.kind !== 'refused')
  // The server need not ask about a sound that was shown.
  expect(soundAnswerOf(at.sent)).toEqual(answer.kind === 'unknown' ? {} : { acceptSound: true })
  expect(soundAnswerOf(at.file)).toEqual({})
})

test('shows the progress, and a worker that failed', async () => {
  const at = show()
  const worker = await begun(1)
  expect(at.words()).toBe('')
  await worker.answer({ kind: 'share', share: 0.5 })
  expect(at.words()).toBe('Checking how it sounds: 50 %.')
  await act(async () => void worker.dispatchEvent(new Event('error')))
  expect(at.words()).toBe('How it sounds could not be checked here: listen to a part of it.')
})

test('checks one recording at a time, in order', async () => {
  const first = show()
  const second = show(recording('b.mp3'))
  const worker = await begun(1)
  expect(worker.file).toBe(first.file)
  await worker.answer({ kind: 'heard', faults: [], notes: [] })
  const next = await begun(2)
  expect(next.file).toBe(second.file)
  await next.answer({ kind: 'unknown' })
})

test('a removed recording ends its check, or never begins', async () => {
  const first = show()
  const second = show(recording('b.mp3'))
  const worker = await begun(1)
  second.unmount()
  first.unmount()
  await expect.poll(() => worker.terminate.mock.calls.length).toBe(1)
  const third = show(recording('c.mp3'))
  expect((await begun(2)).file).toBe(third.file)
})

test('another file is checked anew', async () => {
  const at = show()
  const worker = await begun(1)
  await worker.answer({ kind: 'share', share: 0.5 })
  const other = recording('b.mp3')
  at.rerender(<SoundCheck file={other} sent={other} />)
  expect(at.words()).toBe('')
  const next = await begun(2)
  await worker.answer({ kind: 'share', share: 0.9 })
  expect(at.words()).toBe('')
  await next.answer({ kind: 'heard', faults: [], notes: [] })
  expect(at.words()).toBe('Sound is good.')
})
