import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { TestClient } from './test-client.ts'
import { tusClient } from './tus.ts'

/** The outcome of the requests of one kind. */
export interface Tally {
  requests: number
  /** Those without an answer, or with one that is the server's or the proxy's fault (5xx). */
  failures: number
  /** Answers that request a retry, or the offset first: 409, 423 and 429. */
  deferred: number
}

export const emptyTally = (): Tally => ({ requests: 0, failures: 0, deferred: 0 })

/** As a device does it: asks for the offset, sends some bytes, and again until it is whole; whatever fails is asked again. */
export async function uploadPatiently(
  person: TestClient,
  bytes: Buffer,
  title: string,
  tally: Tally = emptyTally(),
): Promise<Teaching> {
  const id = uuidv7(Date.now())
  const { csrfToken } = await untilDone(() => call(auth.csrfToken, {}, person), tally)
  const tus = tusClient(person, csrfToken)
  const body = { title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  for (;;) {
    const { status, offset } = await untilAnswered(() => tus.head(id), tally)
    if (status === 404)
      await untilAnswered(() => tus.create(bytes.length, { jobId: id, filename: 'a.wav' }), tally)
    else if (offset !== undefined && offset < bytes.length)
      await untilAnswered(() => tus.patch(id, offset, bytes.subarray(offset, offset + 250_000)), tally)
    else if (offset !== undefined) {
      try {
        return (await untilDone(() => call(uploads.finalize, { params: { id }, body }, person), tally))
          .teaching
      } catch (error) {
        // The process that had the bytes is gone.
        expect(error).toMatchObject({ code: 'upload_incomplete' })
      }
    }
  }
}

/** Edits the title until it is acknowledged, as one change however often it is sent. */
export async function editPatiently(
  person: TestClient,
  { id, uid, rev, speaker, date }: Teaching,
  title: string,
  tally: Tally = emptyTally(),
): Promise<void> {
  const body = { title, speaker, date, scriptureReference: '', baseRev: rev, uid }
  const headers = { 'idempotency-key': uuidv7(Date.now()) }
  await untilDone(() => call(teachings.update, { params: { id }, body, headers }, person), tally)
}

/** Repeats a call that got no answer, or one that requests a retry. */
export async function untilDone<T>(work: () => Promise<T>, tally: Tally = emptyTally()): Promise<T> {
  for (;;) {
    tally.requests += 1
    try {
      return await work()
    } catch (error) {
      const isAnswer = error instanceof CallError && error.status < 500
      if (isAnswer && error.code !== 'upload_busy' && error.status !== 429) throw error
      tally[isAnswer ? 'deferred' : 'failures'] += 1
      await delay(100)
    }
  }
}

/** Repeats a request that got no answer, or one that requests a retry. */
export async function untilAnswered<T extends { status: number }>(
  work: () => Promise<T>,
  tally: Tally = emptyTally(),
): Promise<T> {
  for (;;) {
    tally.requests += 1
    const answer = await work().catch(() => undefined)
    if (!answer || answer.status >= 500) tally.failures += 1
    else {
      if ([409, 423, 429].includes(answer.status)) tally.deferred += 1
      if (![423, 429].includes(answer.status)) return answer
    }
    await delay(100)
  }
}
