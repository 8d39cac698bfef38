import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { emptyText } from '@fellowship/schema/teachings/teaching-words'
import { describe, expect, test } from 'vitest'
import { tableAnswers, type TableAnswerName } from '../../testing/answer-table.ts'
import { UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import { requestRate } from '../engine/rate.ts'
import { addFile } from './upload-copy.ts'
import { cancelUpload } from './upload-jobs.ts'
import { runUpload } from './upload-run.ts'

type Step = 'begin' | 'offset' | 'bytes' | 'finalize' | 'remove'
const now = 1_000_000

/** Runs one job that is at a step, whose request gets this answer each time; everything else is answered rightly. */
async function runAt(step: Step, answer: TableAnswerName) {
  const db = new UploadDatabase(`verdicts-${Math.random()}`)
  const fields = { ...emptyText, title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }
  const copying = { hold: <T>(_: string, work: () => Promise<T>) => work(), breathe: () => Promise.resolve() }
  const file = new File([new Uint8Array(1_000)], 'a.mp3')
  const id = (await addFile(db, file, { fields, ownerUserId: 7, now }, copying))!
  if (step === 'offset' || step === 'remove') await db.jobs.update(id, { phase: 'begun', asked: true })
  if (step === 'remove') await cancelUpload(db, id)
  let bytes = 0
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string, init?: RequestInit) => {
      const { pathname } = new URL(input)
      if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      const steps = { POST: 'begin', HEAD: 'offset', PATCH: 'bytes', DELETE: 'remove' } as const
      const here = pathname.endsWith('/finalize') ? 'finalize' : steps[init!.method as keyof typeof steps]
      if (here === step) {
        const given = await tableAnswers[answer]()
        // An answer to HEAD has no body.
        return here === 'offset'
          ? new Response(null, { status: given.status, headers: given.headers })
          : given
      }
      if (here === 'finalize') return Response.json({ success: true, teaching: aTeaching({ uid: id }) })
      if (here === 'begin') bytes = 0
      if (here === 'bytes') bytes += (init!.body as Uint8Array).length
      const status = { begin: 201, offset: 200, bytes: 204, remove: 204 }[here]
      return new Response(null, { status, headers: { 'upload-offset': String(bytes) } })
    }) as typeof fetch,
  }
  const options = {
    now: () => now,
    random: () => 1,
    rate: requestRate(() => now),
    onEvent: () => undefined,
    userId: () => 7,
  }
  await runUpload(db, id, transport, options, new AbortController().signal)
  return { job: await db.jobs.get(id), chunks: await db.chunks.count() }
}

/** again: after the backoff · anew: all is sent once more, then after the backoff · done: it was sent once more */
type Outcome = 'again' | 'anew' | 'sign in' | 'rejected' | 'duplicate' | 'gone' | 'done'

function outcomeOf(step: Step, job: UploadJob | undefined): Outcome {
  if (!job) return 'gone'
  if (job.state === 'blocked_auth') return 'sign in'
  if (job.state === 'rejected' || job.state === 'duplicate' || job.state === 'done') return job.state
  return job.phase === 'new' && step !== 'begin' ? 'anew' : 'again'
}

const again = { begin: 'again', offset: 'again', bytes: 'again', finalize: 'again', remove: 'again' } as const
const table: Record<TableAnswerName, Partial<Record<Step, Outcome>>> = {
  '200 {}': {},
  '200 other JSON': {},
  '200 HTML': {},
  '200 cut off': {},
  '204 without more': { remove: 'gone' },
  '302 to a page': {},
  '400 ours': { begin: 'rejected', bytes: 'rejected', finalize: 'rejected' },
  '400 of a proxy': {},
  '401 ours': { begin: 'sign in', offset: 'sign in', bytes: 'sign in', finalize: 'sign in' },
  '401 of a proxy': { offset: 'sign in' },
  '403 ours': { begin: 'rejected', bytes: 'rejected', finalize: 'rejected' },
  '403 csrf, twice': {},
  '404 ours': { offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
  '404 of a proxy': { offset: 'done' },
  '409 duplicate': { begin: 'duplicate', bytes: 'duplicate', finalize: 'duplicate' },
  '409 conflict': { begin: 'rejected', bytes: 'rejected', finalize: 'rejected' },
  '409 of a proxy': {},
  '410 ours': { begin: 'rejected', offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
  '410 of a proxy': { offset: 'done' },
  '413 ours': { begin: 'rejected', bytes: 'rejected', finalize: 'rejected' },
  '413 of a proxy': {},
  '423 ours': {},
  '426 ours': {},
  '429 with Retry-After': {},
  '429 ours': {},
  '500 ours': {},
  '502 of a proxy': {},
  '503 ours': {},
  '507 ours': {},
  'no answer': {},
}

describe('what an answer does to an upload', () => {
  test.each(Object.entries(table) as [TableAnswerName, Partial<Record<Step, Outcome>>][])(
    '%s',
    async (answer, others) => {
      const outcomes: Partial<Record<Step, Outcome>> = {}
      for (const step of Object.keys(again) as Step[]) {
        const { job, chunks } = await runAt(step, answer)
        outcomes[step] = outcomeOf(step, job)
        // Whatever was answered, the recording stays, unless it is in the library or a person has cancelled it.
        expect([step, chunks]).toEqual([step, job === undefined || job.state === 'done' ? 0 : 1])
        if (job?.state === 'queued') expect([step, nextTry(job)]).toEqual([step, waitAfter(answer, step)])
      }
      expect(outcomes).toEqual({ ...again, ...others })
    },
  )
})

/** Milliseconds until the next try. */
const nextTry = ({ nextAttemptAt, notBefore = 0 }: UploadJob) => Math.max(nextAttemptAt, notBefore) - now

const waitAfter = (answer: TableAnswerName, step: Step) => {
  if (answer === '429 with Retry-After') return 90_000
  // An answer to HEAD has no body to say it.
  return answer === '503 ours' && step !== 'offset' ? 10_000 : 2_000
}
