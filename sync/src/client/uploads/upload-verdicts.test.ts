import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { emptyText } from '@fellowship/schema/teachings/teaching-words'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answerAs,
  hurry,
  isWithoutAnswer,
  refusedAs,
  sentenceAfter,
  tableAnswerNames,
  waitAfter,
  type TableAnswerName,
} from '../../testing/answer-table.ts'
import { UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import { requestRate } from '../engine/rate.ts'
import { addFile } from './upload-copy.ts'
import { cancelUpload, type UploadJobEvent } from './upload-jobs.ts'
import { stalledAt } from './upload-failure.ts'
import { runUpload } from './upload-run.ts'

type Step = 'begin' | 'offset' | 'bytes' | 'finalize' | 'remove'
const startAt = 1_000_000

/** A job at a step, whose request gets this answer each time, until the fault is over; everything else is answered rightly. */
async function jobAt(
  step: Step,
  answer: TableAnswerName,
  meanwhile: (db: UploadDatabase, id: string) => Promise<unknown> = async () => undefined,
) {
  const db = new UploadDatabase(`verdicts-${Math.random()}`)
  onTestFinished(() => db.delete())
  const fields = { ...emptyText, title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }
  const copying = {
    hold: <T>(_: string, work: () => Promise<T>) => work(),
    yieldToMain: () => Promise.resolve(),
  }
  const file = new File([new Uint8Array(1_000)], 'a.mp3')
  const id = (await addFile(db, file, { fields, ownerUserId: 7, now: startAt }, copying))!
  if (step === 'offset' || step === 'remove') await db.jobs.update(id, { phase: 'begun', asked: true })
  if (step === 'remove') await cancelUpload(db, id)
  let isFaulty = true
  let now = startAt
  let bytes = 0
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string, init?: RequestInit) => {
      const { pathname } = new URL(input)
      if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      const steps = { POST: 'begin', HEAD: 'offset', PATCH: 'bytes', DELETE: 'remove' } as const
      const here = pathname.endsWith('/finalize') ? 'finalize' : steps[init!.method as keyof typeof steps]
      if (here === step && isFaulty) {
        await meanwhile(db, id)
        const given = await answerAs(answer)
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
  const events: UploadJobEvent['kind'][] = []
  async function run() {
    const options = {
      now: () => now,
      random: () => 1,
      rate: requestRate(() => now),
      onEvent: ({ kind }: UploadJobEvent) => void events.push(kind),
      userId: () => 7,
    }
    await runUpload(db, id, transport, options, new AbortController().signal)
    return { job: await db.jobs.get(id), chunks: await db.chunks.count() }
  }
  return {
    run,
    events,
    /** Its time has come, and the fault is over. */
    retry: ({ nextAttemptAt, notBefore = 0 }: UploadJob) => {
      isFaulty = false
      now = Math.max(nextAttemptAt, notBefore)
      return run()
    },
  }
}

/**
 * again: after the backoff · anew: all is sent once more, then after the backoff · in vain: it was sent once more, and is
 * sent after the backoff · done: it was sent once more, or is in the library · the others: a person's turn
 */
type Outcome = 'again' | 'anew' | 'in vain' | 'sign in' | 'rejected' | 'duplicate' | 'gone' | 'done'

function outcomeOf(step: Step, job: UploadJob | undefined): Outcome {
  if (!job) return 'gone'
  if (job.state === 'blocked_auth') return 'sign in'
  if (job.state === 'rejected' || job.state === 'duplicate' || job.state === 'done') return job.state
  if (job.phase === 'new' && step !== 'begin') return 'anew'
  return (job.sends ?? 0) > 0 ? 'in vain' : 'again'
}

const events: Partial<Record<Outcome, UploadJobEvent['kind']>> = {
  'sign in': 'blocked_auth',
  rejected: 'rejected',
  duplicate: 'duplicate',
  done: 'done',
}

const again = { begin: 'again', offset: 'again', bytes: 'again', finalize: 'again', remove: 'again' } as const
const rejected = { begin: 'rejected', bytes: 'rejected', finalize: 'rejected' } as const
const duplicate = { begin: 'duplicate', bytes: 'duplicate', finalize: 'duplicate' } as const

/** By the step; an answer that is not named here is tried again. */
const table: Partial<Record<TableAnswerName, Partial<Record<Step, Outcome>>>> = {
  ...refusedAs(rejected),
  '204 without more': { remove: 'gone' },
  // An answer to HEAD has no body that could identify our server.
  '401 invalid_credentials': { ...rejected, offset: 'sign in' },
  '401 of a proxy': { offset: 'sign in' },
  '401 unauthorized': { begin: 'sign in', offset: 'sign in', bytes: 'sign in', finalize: 'sign in' },
  '404 not_found': { offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
  '404 of a proxy': { offset: 'done' },
  '404 without more': { offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
  '409 duplicate': duplicate,
  '409 revision_conflict': rejected,
  '409 upload_exists': { begin: 'done' },
  '409 upload_finished': { ...rejected, remove: 'done' },
  '409 upload_incomplete': { finalize: 'in vain' },
  '409 upload_offset': { bytes: 'in vain' },
  '410 of a proxy': { offset: 'done' },
  '410 upload_damaged': { offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
  '410 upload_gone': { begin: 'rejected', offset: 'done', bytes: 'anew', finalize: 'anew', remove: 'gone' },
}

describe('what an answer does to an upload', () => {
  hurry()

  test.each(tableAnswerNames)('%s', async (answer) => {
    for (const step of Object.keys(again) as Step[]) {
      const outcome = table[answer]?.[step] ?? again[step]
      const { run, retry, events: told } = await jobAt(step, answer)
      const { job, chunks } = await run()
      const event = events[outcome]
      expect([step, outcomeOf(step, job), told]).toEqual([step, outcome, event ? [event] : []])
      // The recording stays after any answer, unless it is in the library or a person has cancelled it.
      expect([step, chunks]).toEqual([step, step === 'remove' || outcome === 'done' ? 0 : 1])
      if (!job || outcome === 'done') continue
      const isAsked = step !== 'offset'
      expect([step, job.lastError?.sentence]).toEqual([
        step,
        outcome === 'in vain' ? 'The server does not keep what it took.' : sentence(answer, isAsked),
      ])
      if (events[outcome]) continue
      expect([step, nextTry(job)]).toEqual([step, wait(answer, isAsked)])
      const { job: last } = await retry(job)
      expect([step, last?.state]).toEqual([step, step === 'remove' ? undefined : 'done'])
    }
  })
})

test.each<TableAnswerName>([
  '401 unauthorized',
  '409 duplicate',
  '415 unsupported_audio',
  '410 upload_damaged',
])('a cancelled recording ignores the answer %s', async (answer) => {
  for (const step of ['begin', 'bytes', 'finalize'] as const) {
    const { run, events: told } = await jobAt(step, answer, (db, id) => cancelUpload(db, id))
    const { job } = await run()
    expect([step, job?.state, told]).toEqual([step, 'cancelled', []])
    // The deletion on the server does not wait for the failed attempt.
    expect([step, job?.nextAttemptAt]).toEqual([step, 0])
  }
})

/** Milliseconds until the next try. */
const nextTry = ({ nextAttemptAt, notBefore = 0 }: UploadJob) => Math.max(nextAttemptAt, notBefore) - startAt

/** An answer without a body is known by its status alone. */
const sentence = (answer: TableAnswerName, hasBody: boolean) =>
  sentenceAfter(hasBody || isWithoutAnswer(answer) ? answer : '404 without more')
/** A wait may be asked for by a header as well. */
const wait = (answer: TableAnswerName, hasBody: boolean) =>
  waitAfter(hasBody || answer.includes('Retry-After') ? answer : '404 without more')

test.each<[string, Partial<UploadJob>, number]>([
  ['failed since its last byte', {}, 300_001],
  ['not failed', { attempts: 0 }, Infinity],
  ['paused', { paused: true }, Infinity],
  ['cancelled', { state: 'cancelled' }, Infinity],
  ['done', { state: 'done' }, Infinity],
  ['reported before', { timeoutTold: true }, Infinity],
])('a job that has %s is reported at its moment', (_, given, moment) => {
  const job = { state: 'uploading', attempts: 1, movedAt: 1, ...given } as UploadJob
  expect(stalledAt(job)).toBe(moment)
})
