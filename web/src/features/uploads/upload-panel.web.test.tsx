import { aTeaching } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { testServer, type Asked } from '../../testing/test-server.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { UploadPanel } from './upload-panel.tsx'

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

function show() {
  const onAdded = vi.fn()
  render(
    <>
      <UploadPanel onAdded={onAdded} />
      <Toaster />
    </>,
  )
  return onAdded
}
const choose = (file: File) =>
  fireEvent.change(screen.getByLabelText('Audio file'), { target: { files: [file] } })
const recording = () => new File([new Uint8Array(400_000)], name, { type: 'audio/mpeg' })
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Upload Teaching' }))
const paths = (asked: Asked[]) => asked.map(({ path }) => path.replace('/api/sermons/', ''))

describe('the upload panel', () => {
  it('wants a file first', async () => {
    show()
    await submit()
    expect(await screen.findByText('No File Selected')).toBeTruthy()
    expect(screen.getByText('Please select an audio file to upload')).toBeTruthy()
  })

  it('refuses a dropped file that is not audio', async () => {
    show()
    const file = new File(['x'], 'minutes.docx', { type: 'application/msword' })
    fireEvent.drop(screen.getByLabelText('Audio file'), { dataTransfer: { files: [file] } })
    expect(await screen.findByText('Invalid File Type')).toBeTruthy()
    expect(screen.queryByText('minutes.docx')).toBeNull()
  })

  it('lists what is wrong with the name, and leaves the fields to be corrected', async () => {
    const asked = await testServer({ ...unreadable, ...passes })
    show()
    choose(recording())
    expect(await screen.findByText('Parsing Issues Found')).toBeTruthy()
    expect(screen.getByText('Name must start with a date.')).toBeTruthy()
    await submit()
    expect(await screen.findByText('Missing Date')).toBeTruthy()
    expect(paths(asked)).toEqual(['parse-filename'])
  })

  it('goes on by hand when the name cannot be read at all', async () => {
    await testServer({})
    show()
    choose(recording())
    expect(await screen.findByText('Parsing Failed')).toBeTruthy()
    expect(screen.getByText('Failed to parse filename')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Speaker').value).toBe('')
  })

  it('stops at a duplicate before a byte is sent', async () => {
    const asked = await testServer({
      ...readable,
      'POST /api/sermons/check-duplicate': () => ({
        status: 409,
        body: { error: 'Hope in Christ is there already.' },
      }),
    })
    show()
    choose(recording())
    await screen.findByText('Filename Parsed Successfully')
    await submit()
    expect(await screen.findByText('Duplicate Teaching Detected')).toBeTruthy()
    expect(screen.getByText('Hope in Christ is there already.')).toBeTruthy()
    expect(paths(asked)).toEqual(['parse-filename', 'check-duplicate'])
  })

  it('shows the file with its size, and uploads what was corrected', async () => {
    const added = aTeaching({ title: 'Hope for all' })
    const asked = await testServer({
      ...readable,
      ...passes,
      'POST /api/sermons/smart-upload': () => ({
        body: { success: true, teaching: added, parseInfo: { sanitizedFilename: name } },
      }),
    })
    const onAdded = show()
    choose(recording())
    expect(screen.getByText(name)).toBeTruthy()
    expect(screen.getByText(/^0\.4 MB/)).toBeTruthy()
    await screen.findByText('Filename Parsed Successfully')
    fireEvent.change(screen.getByLabelText('Title'), { target: { value: 'Hope for all' } })
    await submit()
    expect(await screen.findByText('File upload successful')).toBeTruthy()
    expect(onAdded).toHaveBeenCalledExactlyOnceWith(added)
    await waitFor(() => expect(screen.queryByText(name)).toBeNull())
    const sent = asked.at(-1)!.body
    expect(sent.indexOf('name="_csrf"')).toBeLessThan(sent.indexOf('name="audioFile"'))
    expect(sent).toContain(JSON.stringify({ ...fields, title: 'Hope for all' }))
  })
})
