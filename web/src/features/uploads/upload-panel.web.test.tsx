import { aTeaching } from '@fellowship/schema/testing/builders'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { pageQueues } from '../sync/page-queues.ts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer, type ReceivedRequest, type Fallback } from '../../testing/test-server.ts'
import { isPageHeld } from '../../lib/busy.ts'
import { dismissToast, toastStore } from '../../ui/toast.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { UploadPanel } from './upload-panel.tsx'
import { noUpload } from './upload-flow.ts'
import { uploadFlow } from './use-upload-flow.ts'

const name = '2026-11-15_Jane-Smith"A new song"_Psalm_40_1-10.mp3'
const fields = {
  title: 'Hope in Christ',
  speaker: 'John Smith',
  scriptureReference: 'Romans 8:28-39',
  date: '2026-11-22',
}
const readable = {
  'POST /api/sermons/parse-filename': () => ({
    body: { parsedData: { ...fields, isValid: true, errors: [] } },
  }),
}
const unreadable = {
  'POST /api/sermons/parse-filename': () => ({
    body: { parsedData: { ...fields, date: '', isValid: false, errors: ['Name must start with a date.'] } },
  }),
}
const passes = { 'POST /api/sermons/check-duplicate': () => ({ body: { success: true } }) }

async function show({ open }: { open: boolean | undefined } = { open: true }) {
  const onAdded = vi.fn()
  pageQueues().setUser(7)
  render(
    <SignedIn>
      <UploadPanel userId={7} open={open} onAdded={onAdded} />
      <Toaster />
    </SignedIn>,
  )
  await screen.findByLabelText('Audio file')
  return onAdded
}

afterEach(async () => {
  localStorage.clear()
  pageQueues().setUser(undefined)
  // A form that still checks or saves is not cleared by an event.
  uploadFlow.set(noUpload)
  await uploadDatabase().jobs.clear()
  await uploadDatabase().chunks.clear()
})
const choose = (file: File) =>
  fireEvent.change(screen.getByLabelText('Audio file'), { target: { files: [file] } })
const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const recording = () => new File([new Uint8Array(400_000)], name, { type: 'audio/mpeg' })
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Upload Teaching' }))
/** Without pulls, which may run in the background. */
const paths = (asked: ReceivedRequest[]) =>
  asked
    .filter(({ path }) => !path.startsWith('/api/sync'))
    .map(({ path }) => path.replace('/api/sermons/', ''))

describe('the upload panel', () => {
  test.each([
    [undefined, true],
    [false, false],
  ])('opened as %s shows refused files: %s', async (open, isShown) => {
    await show({ open })
    const panel = screen.getByLabelText('Audio file').closest('section')!
    expect(panel.hidden).toBe(true)
    choose(new File([], 'empty.mp3', { type: 'audio/mpeg' }))
    await screen.findByText('The file is empty.')
    expect(panel.hidden).toBe(!isShown)
  })

  test('asks to choose a file on a phone, which has nothing to drop', async () => {
    const touch = { matches: true } as MediaQueryList
    vi.spyOn(window, 'matchMedia').mockReturnValue(touch)
    await show()
    expect(screen.queryByText(/^Drop/)).toBeNull()
    screen.getByText('Choose an audio file')
    screen.getByText(/^One or several: MP3/)
    vi.restoreAllMocks()
    cleanup()
    await show()
    screen.getByText('Drop an audio file here')
    screen.getByText(/^or choose one or several: MP3/)
  })

  test('a drop beside the zone changes nothing', async () => {
    await show()
    const isPrevented = (name: string) => !window.dispatchEvent(new Event(name, { cancelable: true }))
    // An effect listens, which may run after the first look.
    await waitFor(() => expect(['dragover', 'drop'].map(isPrevented)).toEqual([true, true]))
  })

  test('several refused files are cleared at once', async () => {
    await show()
    const clear = () => screen.queryByRole('button', { name: 'Clear' })
    expect(clear()).toBeNull()
    for (const name of ['a.mp3', 'b.mp3']) choose(new File([], name, { type: 'audio/mpeg' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Clear' }))
    expect(clear()).toBeNull()
    expect(screen.queryByRole('list', { name: 'Files that cannot be uploaded' })).toBeNull()
  })

  test('the button waits while another recording is sent', async () => {
    await uploadDatabase().jobs.add(anUploadJob({ state: 'uploading' }))
    await show()
    expect(await screen.findByRole('button', { name: 'Uploading...' })).toBeTruthy()
    expect(screen.queryByText('How to name the file')).toBeNull()
  })

  test('lists a dropped file that is not audio', async () => {
    await show()
    const file = new File(['x'], 'minutes.docx', { type: 'application/msword' })
    const zone = screen.getByLabelText('Audio file')
    const look = () => zone.parentElement!.className
    const before = look()
    fireEvent.dragEnter(zone)
    expect(look()).not.toBe(before)
    fireEvent.dragLeave(zone)
    expect(look()).toBe(before)
    fireEvent.dragEnter(zone)
    fireEvent.drop(zone, { dataTransfer: { files: [file] } })
    expect(look()).toBe(before)
    expect(await screen.findByText('Invalid File Type')).toBeTruthy()
    expect(screen.queryByRole('list', { name: 'Chosen recordings' })).toBeNull()
    const refused = screen.getByRole('list', { name: 'Files that cannot be uploaded' })
    expect(refused.textContent).toContain('minutes.docx')
    expect(refused.textContent).toContain('This is not an audio file.')
    await userEvent.click(screen.getByRole('button', { name: 'Remove minutes.docx' }))
    expect(refused.isConnected).toBe(false)
  })

  test('a damaged text is refused with its line', async () => {
    await testServer(readable)
    await show()
    choose(recording())
    const field = await screen.findByLabelText<HTMLInputElement>(/^Text of the recording/)
    const text = (words: string) => new File([words], 'talk.vtt')
    await userEvent.upload(field, text('WEBVTT\n\n00:9x --> 00:05.000\nGrace.'))
    expect(await screen.findByText(/^talk\.vtt: Line 3 has no times/)).toBeTruthy()
    expect([field.getAttribute('aria-invalid'), field.value]).toEqual(['true', ''])
    const chosen = () => uploadFlow.snapshot().drafts[0]?.captions
    expect(chosen()).toBeUndefined()
    const good = text('Grace to you.')
    await userEvent.upload(field, good)
    await waitFor(() => expect(screen.queryByText(/^talk\.vtt: /)).toBeNull())
    expect(chosen()).toBe(good)
  })

  test('handouts that are too large or too many are refused, others kept', async () => {
    await testServer(readable)
    await show()
    choose(recording())
    const field = await screen.findByLabelText<HTMLInputElement>(/^Handouts/)
    const pdf = (name: string, size = 8) =>
      Object.defineProperty(new File([], name, { type: 'application/pdf' }), 'size', { value: size })
    const kept = () => uploadFlow.snapshot().drafts[0]?.handouts?.map((file) => file.name)
    await userEvent.upload(field, [pdf('a.pdf'), pdf('b.pdf', 10 * 1024 * 1024 + 1)])
    expect(await screen.findByText(/^b\.pdf: A handout has at most 10 MB/)).toBeTruthy()
    expect([kept(), field.value]).toEqual([[], ''])
    await userEvent.upload(
      field,
      [1, 2, 3, 4, 5, 6].map((at) => pdf(`${at}.pdf`)),
    )
    expect(await screen.findByText('Choose at most 5 files.')).toBeTruthy()
    expect(kept()).toEqual([])
    await userEvent.upload(field, [pdf('a.pdf'), pdf('c.pdf')])
    await waitFor(() => expect(kept()).toEqual(['a.pdf', 'c.pdf']))
    expect(screen.queryByText('Choose at most 5 files.')).toBeNull()
  })

  test('a dropped text waits for a recording, then goes into its form', async () => {
    await testServer(readable)
    await show()
    const drop = (file: File) =>
      fireEvent.drop(screen.getByLabelText('Audio file'), { dataTransfer: { files: [file] } })
    const text = (words: string) => new File([words], 'talk.vtt')
    const refused = () => screen.queryByRole('list', { name: 'Files that cannot be uploaded' })?.textContent
    drop(text('Grace to you.'))
    await waitFor(() => expect(refused()).toContain('Choose the recording first, or press Edit on its row'))
    choose(recording())
    const field = await screen.findByLabelText<HTMLInputElement>(/^Text of the recording/)
    drop(text('WEBVTT\n\n00:9x --> 00:05.000\nGrace.'))
    await waitFor(() => expect(refused()).toContain('Line 3 has no times'))
    expect(field.value).toBe('')
    const good = text('Grace to you.')
    drop(good)
    expect(await screen.findByText(`talk.vtt will be sent with ${name}.`)).toBeTruthy()
    await waitFor(() => expect([field.files?.[0]?.name, refused()]).toEqual(['talk.vtt', undefined]))
    expect(uploadFlow.snapshot().drafts[0]?.captions).toBe(good)
  })

  test('the page asks before leaving while there are drafts', async () => {
    await testServer(readable)
    await show()
    expect([asksBeforeLeaving(), isPageHeld()]).toEqual([false, false])
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    expect([asksBeforeLeaving(), isPageHeld()]).toEqual([true, true])
    cleanup()
    expect([asksBeforeLeaving(), isPageHeld()]).toEqual([true, true])
    // A form that still checks or saves is not cleared by an event.
    uploadFlow.set(noUpload)
    expect([asksBeforeLeaving(), isPageHeld()]).toEqual([false, false])
  })

  test('lists the parse errors and leaves the fields editable', async () => {
    const asked = await testServer({ ...unreadable, ...passes })
    await show()
    choose(new File([new Uint8Array(400_000)], 'Evening.mp3', { type: 'audio/mpeg' }))
    expect(await screen.findByText('Parsing Issues Found')).toBeTruthy()
    expect(screen.getByText('Name must start with a date.')).toBeTruthy()
    await submit()
    expect(await screen.findByText('Missing Date')).toBeTruthy()
    expect(paths(asked)).toEqual(['parse-filename'])
  })

  test('asks before sending a date far ahead', async () => {
    const ahead = { ...fields, date: '2062-11-15' }
    const asked = await testServer({
      'POST /api/sermons/parse-filename': () => ({
        body: { parsedData: { ...ahead, isValid: false, errors: ['This date is more than a day ahead.'] } },
      }),
      ...passes,
    })
    await show()
    choose(recording())
    await screen.findByText('Parsing Issues Found')
    const question = 'This date is more than a day ahead: 15 November 2062. Publish anyway?'
    await submit()
    await screen.findByText(question)
    await userEvent.click(screen.getByRole('button', { name: 'Correct the date' }))
    await waitFor(() => expect(screen.queryByText(question)).toBeNull())
    expect(paths(asked)).toEqual(['parse-filename'])
    await submit()
    await userEvent.click(await screen.findByRole('button', { name: 'Publish' }))
    await waitFor(async () => expect(await uploadDatabase().jobs.count()).toBe(1))
    expect((await uploadDatabase().jobs.toArray())[0]?.fields.date).toBe('2062-11-15')
  })

  test('tells while it is typed that a scripture cannot be read', async () => {
    await testServer(readable)
    await show()
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    const field = screen.getByLabelText('Scripture Reference')
    const hint = 'Not read as a Bible reference: it will be shown as typed, but not found under Books.'
    expect(screen.queryByText(hint)).toBeNull()
    await userEvent.clear(field)
    await userEvent.type(field, 'Jude vw 3')
    expect(screen.getByText(hint)).toBeTruthy()
    await userEvent.clear(field)
    await userEvent.type(field, 'Jude vv 3-5')
    expect(screen.queryByText(hint)).toBeNull()
  })

  test('parses on the device after a gateway error', async () => {
    const page = () => ({ status: 502, body: '<h1>Bad Gateway</h1>' })
    await testServer({ 'POST /api/sermons/parse-filename': page, 'POST /api/sermons/check-duplicate': page })
    await show()
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    await submit()
    await waitFor(async () => expect(await uploadDatabase().jobs.count()).toBe(1))
  })

  test('shows a duplicate before any byte is uploaded', async () => {
    const asked = await testServer({
      ...readable,
      'POST /api/sermons/check-duplicate': () => ({
        status: 409,
        body: { success: false, code: 'duplicate', error: 'Hope in Christ is there already.' },
      }),
    })
    await show()
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    await submit()
    const toast = () => document.querySelector<HTMLElement>('#toasts li')
    await waitFor(() => expect(toast()?.textContent).toContain('Duplicate Teaching Detected'))
    expect(toast()!.textContent).toContain('Hope in Christ is there already.')
    act(() => dismissToast(toastStore.snapshot()!.id))
    // The message stays after the toast, in place of the parse result.
    const draft = screen.getByRole('list', { name: 'Chosen recordings' })
    expect(draft.textContent).toContain('Duplicate Teaching Detected')
    expect(draft.textContent).toContain('Hope in Christ is there already.')
    expect(screen.queryByText('Filename Parsed Successfully')).toBeNull()
    expect(paths(asked)).toEqual(['parse-filename', 'check-duplicate'])
  })

  test('shows a file, queues it and uploads corrected fields', async () => {
    const added = aTeaching({ title: 'Hope for all' })
    const { answers, sent } = tusServer({ teaching: added })
    const asked = await testServer({ ...readable, ...passes }, answers)
    const onAdded = await show()
    choose(recording())
    expect(await screen.findByText('2026-11-15_Jane-Smith"A ne…m_40_1-10.mp3')).toBeTruthy()
    expect(screen.getByText(/^0\.4 MB/)).toBeTruthy()
    await screen.findByText('Filename Parsed Successfully')
    fireEvent.change(screen.getByLabelText('Title'), { target: { value: 'Hope for all' } })
    await submit()
    expect(await screen.findByText('File upload successful')).toBeTruthy()
    expect(onAdded).toHaveBeenCalledExactlyOnceWith({ ...added, uid: expect.any(String) as string })
    await waitFor(() => expect(screen.queryByLabelText('Title')).toBeNull())
    expect(await screen.findByText('In the library')).toBeTruthy()
    expect(sent.bytes).toBe(400_000)
    // Not simply the last request: a pull of the catalogue may follow it.
    const finalize = asked.find(({ path }) => path.endsWith('/finalize'))!
    expect(JSON.parse(finalize.body)).toEqual({ ...fields, title: 'Hope for all', acceptSound: false })
  })

  test('a rejected upload shows why and retries with corrections', async () => {
    const added = aTeaching({ title: 'Hope for all' })
    const { answers, sent } = tusServer(
      { status: 409, error: 'Duplicate sermon detected: Hope', code: 'duplicate' },
      { teaching: added },
    )
    await testServer({ ...readable, ...passes }, answers)
    const onAdded = await show()
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    await submit()
    expect(await screen.findByText('Duplicate Teaching')).toBeTruthy()
    expect(await screen.findByText(/The library has this teaching already/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Correct the details' }))
    fireEvent.change(screen.getByLabelText('Title'), { target: { value: 'Hope for all' } })
    await userEvent.click(screen.getByRole('button', { name: 'Save and try again' }))
    expect(await screen.findByText('File upload successful')).toBeTruthy()
    expect(onAdded).toHaveBeenCalledExactlyOnceWith({ ...added, uid: expect.any(String) as string })
    expect(sent.bytes).toBe(400_000)
  })

  test.each<[string, string, boolean, () => unknown]>([
    [
      'too late',
      'Too late to correct here',
      true,
      () => uploadDatabase().jobs.toCollection().modify({ phase: 'arrived' }),
    ],
    [
      'on a full device',
      'Not saved',
      false,
      () =>
        vi
          .spyOn(uploadDatabase(), 'transaction')
          .mockImplementationOnce(
            () => Promise.reject(new DOMException('full', 'QuotaExceededError')) as never,
          ),
    ],
  ])('shows that corrected fields were not saved: %s', async (_, words, closes, happens) => {
    await testServer({
      ...readable,
      ...passes,
      // Never answers: the upload stays in progress.
      'POST /api/uploads': () => new Promise(() => undefined),
    })
    await show()
    choose(recording())
    await screen.findByDisplayValue(fields.title)
    await submit()
    await userEvent.click(await screen.findByRole('button', { name: 'Correct the details' }))
    const title = screen.getByLabelText('Title')
    await userEvent.type(title, ', again')
    await happens()
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(words)).toBeTruthy()
    expect(title.isConnected).toBe(!closes)
  })

  test('sends the good drafts, and focuses the field of a bad one', async () => {
    const { answers } = tusServer({ teaching: aTeaching() })
    await testServer(
      {
        ...passes,
        'POST /api/sermons/parse-filename': ({ body }) => {
          const { filename } = JSON.parse(body) as { filename: string }
          const isRight = filename.startsWith('2026')
          return {
            body: {
              parsedData: {
                ...fields,
                title: filename,
                ...(!isRight && { speaker: '' }),
                isValid: isRight,
                errors: isRight ? [] : ['No speaker.'],
              },
            },
          }
        },
      },
      answers,
    )
    await show()
    const files = ['2026-11-01.mp3', 'sunday.mp3'].map(
      (each) => new File([each], each, { type: 'audio/mpeg' }),
    )
    fireEvent.change(screen.getByLabelText('Audio file'), { target: { files } })
    await userEvent.click(await screen.findByRole('button', { name: /^sunday\.mp3/ }))
    await screen.findByText('No speaker.')
    await userEvent.click(screen.getByRole('button', { name: /^2026-11-01\.mp3/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Upload 2 teachings' }))
    expect(await screen.findByRole('region', { name: 'On this device' })).toBeTruthy()
    const speaker = await screen.findByLabelText('Speaker')
    await waitFor(() => expect(speaker.getAttribute('aria-invalid')).toBe('true'))
    await waitFor(() => expect(document.activeElement).toBe(speaker))
  })

  test('shows a draft for each of several files', async () => {
    await testServer({
      'POST /api/sermons/parse-filename': ({ body }) => {
        const { filename } = JSON.parse(body) as { filename: string }
        const isRight = filename.startsWith('2026')
        return {
          body: {
            parsedData: { ...fields, title: filename, isValid: isRight, errors: isRight ? [] : ['No date.'] },
          },
        }
      },
    })
    await show()
    const files = ['2026-11-01.mp3', 'sunday.mp3'].map(
      (each) => new File(['sound'], each, { type: 'audio/mpeg' }),
    )
    fireEvent.change(screen.getByLabelText('Audio file'), { target: { files } })
    await userEvent.click(await screen.findByRole('button', { name: /^sunday\.mp3/ }))
    expect(await screen.findByText('No date.')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('sunday.mp3')
    expect(screen.getByRole('button', { name: 'Upload 2 teachings' })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Remove sunday.mp3' }))
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('2026-11-01.mp3'))
  })
})

/** The part of tus 1.0.0 that one upload uses; finalize returns the given responses in turn, then repeats the last. */
function tusServer(...finals: ({ teaching: Teaching } | { status: number; error: string; code: string })[]) {
  const sent = { bytes: 0 }
  const answers: Fallback = ({ method, path, headers, body }) => {
    const tus = { 'tus-resumable': '1.0.0' }
    if (path === '/api/uploads') return { status: 201, body: '', headers: tus }
    if (path.endsWith('/finalize')) {
      const final = finals.length > 1 ? finals.shift()! : finals[0]!
      return 'teaching' in final
        ? { body: { success: true, teaching: { ...final.teaching, uid: path.split('/').at(-2) } } }
        : { status: final.status, body: final }
    }
    if (method === 'PATCH') sent.bytes = Number(headers['upload-offset']) + body.length
    return {
      status: method === 'PATCH' ? 204 : 200,
      body: '',
      headers: { ...tus, 'upload-offset': String(sent.bytes) },
    }
  }
  return { answers, sent }
}
