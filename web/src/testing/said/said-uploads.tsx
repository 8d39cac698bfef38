import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { fireEvent, render, screen } from '@testing-library/react'
import { pageQueues } from '../../features/sync/page-queues.ts'
import { UploadedBanner } from '../../features/teachings/uploaded-banner.list.tsx'
import { UploadPanel } from '../../features/uploads/upload-panel.tsx'
import { Toaster } from '../../ui/toaster.tsx'
import { anUploadJob } from '../an-upload-job.ts'
import { renderSite } from '../render-site.tsx'
import { testServer, type Fallback } from '../test-server.ts'
import { fillIn, press, refused, type Scenario } from './scenario.ts'

const fields = {
  title: 'Hope',
  speaker: 'John Smith',
  scriptureReference: 'Romans 8:28-39',
  date: '2026-11-22',
}
const duplicate = { error: 'Duplicate sermon detected: Hope', code: 'duplicate' }
const parsed = (change: object) => () => ({
  body: { parsedData: { ...fields, isValid: true, errors: [], ...change } },
})

interface Answers {
  parse?: () => { status?: number; body: unknown }
  check?: () => { status?: number; body: unknown }
}

/** The panel with a chosen recording. */
async function chosen(
  { parse = parsed({}), check = () => ({ body: { success: true } }) }: Answers,
  finalize?: Finalized,
) {
  await testServer(
    { 'POST /api/sermons/parse-filename': parse, 'POST /api/sermons/check-duplicate': check },
    finalize && tus(finalize),
  )
  panel()
  const file = new File([new Uint8Array(1_000)], 'a.mp3', { type: 'audio/mpeg' })
  fireEvent.change(screen.getByLabelText('Audio file'), { target: { files: [file] } })
  await screen.findByLabelText('Speaker')
}

function panel(): void {
  pageQueues().setUser(7)
  render(
    <>
      <UploadPanel userId={7} open onAdded={() => undefined} />
      <Toaster />
    </>,
  )
}

const submit = () => press('Upload Teaching')
const without = async (empty: Record<string, string>) => {
  await chosen({})
  await fillIn(empty)
  await submit()
}

type Finalized = { status?: number; body: object }

/** The part of tus 1.0.0 that one upload uses. */
function tus(finalized: Finalized): Fallback {
  let received = 0
  return ({ method, path, headers, body }) => {
    if (path.endsWith('/finalize')) return finalized
    const version = { 'tus-resumable': '1.0.0' }
    if (path === '/api/uploads') return { status: 201, body: '', headers: version }
    if (method === 'PATCH') received = Number(headers['upload-offset']) + body.length
    return {
      status: method === 'PATCH' ? 204 : 200,
      body: '',
      headers: { ...version, 'upload-offset': String(received) },
    }
  }
}

const drop = (file: File) => {
  panel()
  fireEvent.drop(screen.getByLabelText('Audio file'), { dataTransfer: { files: [file] } })
}

export const saidByUploads: readonly Scenario[] = [
  {
    says: ['No File Selected', 'Please select an audio file to upload'],
    bring: async () => {
      panel()
      await submit()
    },
  },
  {
    says: ['No Data Available'],
    bring: async () => {
      await testServer({ 'POST /api/sermons/parse-filename': () => new Promise(() => undefined) })
      panel()
      const file = new File(['x'], 'a.mp3', { type: 'audio/mpeg' })
      fireEvent.change(screen.getByLabelText('Audio file'), { target: { files: [file] } })
      await submit()
    },
  },
  {
    says: ['Invalid File Type', 'Please select an audio file'],
    bring: async () => drop(new File(['x'], 'minutes.docx', { type: 'application/msword' })),
  },
  { says: ['Filename Parsed Successfully'], bring: () => chosen({}) },
  {
    says: ['Parsing Issues Found'],
    bring: () => chosen({ parse: parsed({ isValid: false, errors: ['Name must start with a date.'] }) }),
  },
  {
    says: ['Parsing Failed', 'Please enter the sermon details manually', 'Failed to parse filename'],
    bring: () => chosen({ parse: () => refused() }),
  },
  { says: ['Missing Speaker', 'Speaker name is required'], bring: () => without({ Speaker: '' }) },
  {
    says: ['Missing Title or Scripture', 'Either a title or scripture reference is required'],
    bring: () => without({ Title: '', 'Scripture Reference': '' }),
  },
  {
    says: ['Missing Date', 'A valid date is required'],
    bring: async () => {
      await chosen({ parse: parsed({ date: '' }) })
      await submit()
    },
  },
  {
    says: ['Duplicate Teaching Detected', 'Duplicate sermon detected'],
    bring: async () => {
      await chosen({ check: () => ({ status: 409, body: duplicate }) })
      await submit()
    },
  },
  {
    says: ['Parsing Issues Detected', 'Please review and correct the fields below before uploading'],
    bring: async () => {
      const parsedData = { ...fields, isValid: false, errors: ['The speaker is missing.'] }
      await chosen({
        check: () => ({
          status: 400,
          body: { error: 'Not like this.', code: 'invalid_input', parsedData },
        }),
      })
      await submit()
    },
  },
  {
    says: ['Duplicate Check Failed', 'Please review the fields below and upload manually'],
    bring: async () => {
      await chosen({ check: () => refused(500, 'Out of order.', 'internal') })
      await submit()
    },
  },
  {
    says: ['File upload successful'],
    bring: async () => {
      render(<UploadedBanner teaching={aTeaching()} onGone={() => undefined} />)
    },
  },
  {
    says: [
      'Duplicate Teaching',
      'This teaching file has already been uploaded. Please check the teaching list.',
    ],
    bring: async () => {
      await chosen({}, { status: 409, body: duplicate })
      await submit()
    },
  },
  {
    says: ['Upload Failed'],
    bring: async () => {
      await chosen({}, { status: 400, body: { error: 'The file is damaged.', code: 'invalid_input' } })
      await submit()
    },
  },
  {
    says: [
      'Upload Timeout',
      'The upload is taking longer than expected. Please check the teaching list to see if it was added.',
    ],
    bring: async () => {
      await testServer({})
      const stalled = { state: 'queued' as const, attempts: 2, createdAt: 0, movedAt: 0, ownerUserId: 7 }
      await uploadDatabase().jobs.put(anUploadJob({ ...stalled, nextAttemptAt: Date.now() + 3_600_000 }))
      pageQueues().setUser(7)
      renderSite('/teaching', { id: 7, name: 'Mere', email: 'mere@example.test', role: 'user' })
    },
  },
]
