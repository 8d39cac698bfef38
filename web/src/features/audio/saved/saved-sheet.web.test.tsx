import { aTeaching } from '@fellowship/schema/testing/builders'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import { holdAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { chooseComfort } from '../../../lib/comfort.ts'
import { toastStore } from '../../../ui/toast.ts'
import { playableOf } from '../player/recording-of.ts'
import { DownloadButton } from './download-button.tsx'
import { ManageSaved } from './manage-saved.tsx'
import { NeedsConnection } from './needs-connection.tsx'
import { PackCollection, SaveCollection } from './save-collection.tsx'
import { SaveControl } from './save-control.tsx'
import { savedKnown, savedOf, savedShelf } from './saved.ts'

const study = (letter: string, given = {}) =>
  aTeaching({
    uid: letter,
    title: `Study ${letter}`,
    audioUrl: `/audio/${letter.repeat(64)}.mp3`,
    audioBytes: 3_000_000,
    audioMime: 'audio/mpeg',
    ...given,
  })
const [a, b] = [study('a'), study('b', { speaker: 'Jane Doe', date: '2025-03-01' })]
const copy = { copyUrl: `/audio/${'c'.repeat(64)}.mp3`, copyBytes: 1_000_000, copyMime: 'audio/mpeg' }

const db = audioDatabase()
const keyOf = ({ audioUrl }: { audioUrl: string | null }) => audioKeyOf(audioUrl)!
/** A recording on the device; if it is whole, with its bytes. */
async function saved(teaching: typeof a, given: Partial<SavedRecording> = {}) {
  await saveRecording(teaching, 1)
  const key = keyOf(teaching)
  const whole = { state: 'ready', bytes: 3_000_000 } as const
  await db.recordings.update(key, { ...whole, ...given })
  if ((given.state ?? 'ready') === 'ready')
    await db.chunks.put({ key, index: 0, data: new ArrayBuffer(given.size ?? 4) })
}
const onDevice = () => db.recordings.filter(({ state }) => state !== 'dropped').toArray()
const shelved = (...teachings: (typeof a)[]) =>
  waitFor(() => {
    const kept = [...savedShelf.snapshot().byKey.keys()].sort()
    expect(kept).toEqual(teachings.map(keyOf).sort())
  })
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }))
const goes = (kind: 'offline' | 'online') => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(kind === 'online')
  act(() => void window.dispatchEvent(new Event(kind)))
}
/** The addresses of the links that were followed. */
const followed = () => {
  const seen: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    seen.push(`${this.getAttribute('href')} ${this.download}`.trim())
  })
  return seen
}

beforeEach(async () => {
  localStorage.clear()
  toastStore.set(null)
  // A slow line: nothing comes.
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  await savedKnown()
  await Promise.all([db.recordings.clear(), db.chunks.clear(), db.wishes.clear()])
  await shelved()
})
afterEach(() => {
  chooseComfort({ recordings: undefined, data: undefined })
  vi.unstubAllGlobals()
})

describe('the sheet of saved teaching', () => {
  const show = () => {
    const onClose = vi.fn()
    render(<ManageSaved rows={[a, b]} onClose={onClose} />)
    return onClose
  }
  const storage = (value: object | undefined) =>
    Object.defineProperty(navigator, 'storage', { value, configurable: true })
  afterEach(() => storage(undefined))

  test('an empty device shows no list and no ZIP', () => {
    show()
    expect(screen.getByText('Nothing').parentElement!.textContent).toBe('Nothing used')
    for (const name of [/^On this device/, /^Copy to USB/])
      expect(screen.queryByRole('heading', { name })).toBeNull()
  })

  test('shows the free room, and that it is protected', async () => {
    await saved(a)
    await shelved(a)
    storage({ estimate: async () => ({ quota: 9_000_000, usage: 3_000_000 }), persisted: async () => true })
    show()
    await screen.findByText(/^Protected/)
    const meter = screen.getByRole('meter', { name: 'Room taken' })
    expect(meter.getAttribute('aria-valuetext')).toBe('3 MB of 9 MB')
    expect(meter.innerHTML).toContain('33.3')
    expect(meter.previousElementSibling!.textContent).toBe('3 MB used of about 9 MB available')
    expect(screen.queryByText(/^Keep this page open/)).toBeNull()
    expect(screen.queryByText(/held for the road/)).toBeNull()
    await db.chunks.put({ key: keyOf(b), index: 0, data: new ArrayBuffer(2_000_000) })
    await holdAhead(b, { now: 1 })
    expect(await screen.findByText(/^1 MB more is held for the road/)).toBeTruthy()
  })

  test('shows what is to come, or that the device is full', async () => {
    await saved(a, { state: 'waiting', bytes: 1_000_000 })
    await shelved(a)
    storage({ estimate: async () => ({}), persisted: async () => false })
    show()
    const meter = screen.getByRole('meter', { name: 'Saved so far' })
    expect(meter.getAttribute('aria-valuetext')).toBe('1 MB of 3 MB')
    expect(screen.getByText(/^Keep this page open/)).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
    await db.recordings.update(keyOf(a), { problem: 'device full' })
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Your device is full/)
    expect(screen.queryByText(/^Keep this page open/)).toBeNull()
    expect(screen.queryByText(/^Protected/)).toBeNull()
  })

  test('lists the last played first, then the last saved', async () => {
    await saved(a, { savedAt: 1 })
    await saved(b, { savedAt: 2 })
    await saved(study('d'), { savedAt: 3, lastPlayedAt: 5 })
    await saved(study('e'), { savedAt: 4, lastPlayedAt: 6 })
    await shelved(a, b, study('d'), study('e'))
    show()
    const titles = screen.getAllByRole('button', { name: /^Remove Study/ })
    expect(titles.map((each) => each.getAttribute('aria-label')!.at(-1))).toEqual(['e', 'd', 'b', 'a'])
  })

  test('removes after a question, one or all', async () => {
    await saved(a)
    await saved(b, { state: 'waiting', bytes: 0 })
    await shelved(a, b)
    const onClose = show()
    await press('Remove Study a')
    expect(screen.getByText(/^This frees 3 MB\./)).toBeTruthy()
    await press('Cancel')
    expect(await onDevice()).toHaveLength(2)
    await press('Remove all')
    await press('Remove')
    await shelved()
    expect(await onDevice()).toEqual([])
    await screen.findByRole('dialog', { name: 'Saved teaching' })
    await press('Done')
    expect(onClose).toHaveBeenCalledOnce()
  })

  test('saves an evicted recording again', async () => {
    await saved(a, { state: 'evicted', bytes: 0 })
    await shelved(a)
    show()
    expect(screen.getByText('Removed by your device')).toBeTruthy()
    await press('Save Study a again')
    await waitFor(() => expect(savedOf(a.audioUrl)?.state).toBe('waiting'))
  })

  test('keeps the newest by a switch, and saves a group', async () => {
    show()
    const toggle = () => screen.getByRole<HTMLInputElement>('switch', { name: /^Always keep the newest 5/ })
    expect(screen.getByText('About 6 MB.')).toBeTruthy()
    await userEvent.click(toggle())
    await waitFor(() => expect(savedShelf.snapshot().newest).toBe(5))
    await userEvent.click(toggle())
    await waitFor(() => expect(savedShelf.snapshot().newest).toBe(0))
    expect(toggle().checked).toBe(false)
    await userEvent.selectOptions(screen.getByRole('combobox'), '2025')
    await press('Save 1 (3 MB)')
    await shelved(b)
    expect(screen.getByRole<HTMLSelectElement>('combobox').value).toBe('')
  })
})

test('the place of each press says that the device is full', async () => {
  await saved(a, { state: 'evicted', bytes: 0 })
  await shelved(a)
  const full = new DOMException('', 'QuotaExceededError')
  const put = vi.spyOn(db.wishes, 'put').mockRejectedValue(full)
  const write = vi.spyOn(db, 'transaction').mockRejectedValue(full)
  onTestFinished(() => (put.mockRestore(), write.mockRestore()))
  const told = () => screen.queryAllByText(/^Your device is full\./)
  const { unmount } = render(<ManageSaved rows={[a, b]} onClose={() => undefined} />)
  expect(told()).toEqual([])
  await press('Save Study a again')
  await waitFor(() => expect(told()).toHaveLength(1))
  const toggle = screen.getByRole<HTMLInputElement>('switch', { name: /^Always keep the newest 5/ })
  await userEvent.click(toggle)
  await waitFor(() => expect(told()).toHaveLength(2))
  expect(toggle.checked).toBe(false)
  await userEvent.selectOptions(screen.getByRole('combobox'), '2025')
  await press('Save 1 (3 MB)')
  await waitFor(() => expect(told()).toHaveLength(3))
  unmount()
  render(<SaveCollection rows={[b]} />)
  expect(told()).toEqual([])
  await press('Save 1 (3 MB)')
  await waitFor(() => expect(told()).toHaveLength(1))
})

describe('a ZIP of the saved recordings', () => {
  const pack = study('a', copy)
  const show = () => render(<PackCollection rows={[pack, b]} />)

  test('is offered for those that are whole', async () => {
    await saved(pack, { size: 4, bytes: 4 })
    await saved(b, { state: 'waiting', bytes: 0 })
    await shelved(pack, b)
    show()
    expect(await screen.findByRole('button', { name: 'Make a ZIP of 1 (1 kB)' })).toBeTruthy()
  })

  test('is not offered if none is whole', async () => {
    await saved(b, { state: 'waiting', bytes: 0 })
    await shelved(b)
    expect(show().container.textContent).toBe('')
  })

  test('small copies need a connection', async () => {
    await saved(pack)
    await shelved(pack)
    vi.stubGlobal('fetch', async () => new Response('short'))
    show()
    await userEvent.click(await screen.findByLabelText('Use small copies (1 MB to download)'))
    await press('Make a ZIP of 1 (1 MB)')
    expect(await screen.findByText(/^The small copy of "Study a" could not be fetched/)).toBeTruthy()
    goes('offline')
    expect(screen.queryByLabelText(/^Use small copies/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Make a ZIP of 1 (3 MB)' })).toBeTruthy()
    goes('online')
  })
})

describe('a collection', () => {
  test('saves those that are missing, in the chosen size', async () => {
    await saved(b)
    await shelved(b)
    chooseComfort({ recordings: 'small' })
    render(<SaveCollection rows={[study('a', copy), b, study('d', { audioUrl: null })]} />)
    await press('Save 1 (1 MB)')
    expect(await screen.findByText('Everything of it is saved or on its way.')).toBeTruthy()
    expect(savedOf(copy.copyUrl)?.state).toBe('waiting')
    expect(localStorage.getItem('asked-to-be-kept')).toBe('1')
  })

  test('two are offered together; no recording gives no button', () => {
    const { rerender } = render(<SaveCollection rows={[a, b]} />)
    expect(screen.getByRole('button', { name: 'Save all 2 (6 MB)' })).toBeTruthy()
    rerender(<SaveCollection rows={[study('d', { audioUrl: null })]} />)
    expect(document.body.textContent).toBe('')
  })
})

describe('the save button of a teaching', () => {
  test('saves, then opens the sheet', async () => {
    const onManage = vi.fn()
    render(<SaveControl teaching={a} onManage={onManage} />)
    await press('Save offline (3 MB): Study a')
    await screen.findByRole('button', { name: 'Waiting: Study a' })
    expect(onManage).not.toHaveBeenCalled()
    await press('Waiting: Study a')
    expect(onManage).toHaveBeenCalledOnce()
  })

  test('Safari advises the Home Screen once, before saving', async () => {
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1'
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
    render(<SaveControl teaching={a} onManage={() => {}} />)
    await press('Save offline (3 MB): Study a')
    await screen.findByRole('dialog', { name: 'Put it on your Home Screen first' })
    expect(await onDevice()).toEqual([])
    await press('Save here all the same')
    await shelved(a)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('offers both sizes, and replaces one by the other', async () => {
    render(<SaveControl teaching={study('a', copy)} onManage={() => {}} />)
    const sizes = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Size to save: Study a' })
    expect(sizes().value).toBe('original')
    expect([...sizes().options].map(({ text }) => text)).toEqual(['Small, 1 MB', 'Original, 3 MB'])
    await userEvent.selectOptions(sizes(), 'small')
    await waitFor(() => expect(savedOf(copy.copyUrl)?.state).toBe('waiting'))
    await userEvent.selectOptions(sizes(), 'original')
    await shelved(a)
  })

  test.each([
    ['no recording', study('a', { audioUrl: null })],
    ['a recording of unknown size', study('a', { audioBytes: null })],
  ])('is missing for %s', (_, teaching) => {
    render(<SaveControl teaching={teaching} onManage={() => {}} />)
    expect(document.body.textContent).toBe('')
  })
})

describe('the download button', () => {
  const recording = playableOf(a)!
  const name = /^Download Audio/
  const show = (given = recording) => render(<DownloadButton recording={given} />)

  test('takes the file from the server, once in five seconds', async () => {
    const files = followed()
    show({ ...recording, uid: 'once' })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const button = screen.getByRole('button', { name })
    act(() => button.click())
    expect(files).toEqual([`${a.audioUrl}?download=1`])
    expect(screen.getByText('The download has started.')).toBeTruthy()
    expect(button.getAttribute('aria-disabled')).toBe('true')
    act(() => void vi.advanceTimersByTime(2_000))
    expect(button.getAttribute('aria-disabled')).not.toBe('true')
    act(() => button.click())
    expect(files).toHaveLength(1)
    act(() => void vi.advanceTimersByTime(3_000))
    expect(screen.queryByText('The download has started.')).toBeNull()
    act(() => button.click())
    expect(files).toHaveLength(2)
  })

  test('shows the size if data is reduced', () => {
    chooseComfort({ data: 'reduced' })
    show()
    expect(screen.getByRole('button', { name: 'Download Audio (3 MB)' })).toBeTruthy()
  })

  test('offline takes the saved recording alone', async () => {
    const files = followed()
    goes('offline')
    show({ ...recording, uid: 'offline' })
    await press('Download Audio (needs a connection)')
    expect(files).toEqual([])
    await saved(a, { size: 4, bytes: 4 })
    await shelved(a)
    await press('Download Audio')
    await waitFor(() => expect(files).toEqual([expect.stringMatching(/^blob:.* Study_a_.*\.mp3$/)]))
    goes('online')
  })

  test('offline says if the saved recording is not whole', async () => {
    await saved(a)
    await db.chunks.clear()
    await shelved(a)
    goes('offline')
    show({ ...recording, uid: 'damaged' })
    await press('Download Audio')
    await waitFor(() => expect(toastStore.snapshot()?.kind).toBe('destructive'))
    goes('online')
  })
})

test('offline shows which teachings need a connection', async () => {
  await saved(a)
  await shelved(a)
  const shown = () => screen.queryAllByText('Needs a connection').length
  render([a, b].map((each) => <NeedsConnection key={each.uid} teaching={each} />))
  expect(shown()).toBe(0)
  goes('offline')
  expect(shown()).toBe(1)
  goes('online')
  expect(shown()).toBe(0)
})
