import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { languageTag, sentences, transcriptSources } from './transcripts.schema.ts'

/** A text as signed-in people see it. */
const version = z.object({
  /** Each saved text has a number of its own; `baseVersion` of a change refers to it. */
  version: z.int(),
  state: z.enum(['draft', 'approved']),
  source: z.enum(transcriptSources),
  language: z.string(),
  savedBy: z.string(),
  savedAt: z.iso.datetime(),
})
const transcript = version.extend({ sentences })
export type Transcript = z.infer<typeof transcript>

const earlier = version.extend({
  sentences: z.int(),
  /** Of the first sentence; empty from a server of an earlier release. */
  firstWords: z.string().default(''),
  goneAt: z.iso.datetime(),
})
export type EarlierText = z.infer<typeof earlier>

const answer = z.object({
  /** The uid of the teaching. */
  teaching: z.uuid(),
  /** Null for visitors. */
  draft: transcript.nullable(),
  approved: transcript.nullable(),
  /** Earlier texts in the bin, the newest first; none for visitors. */
  earlier: z.array(earlier),
})
export type TranscriptAnswer = z.infer<typeof answer>

/** A draft in the list of those that wait for a person, by the fields that name its teaching. */
const waitingDraft = teaching
  .pick({ id: true, uid: true, title: true, speaker: true, date: true, scriptureReference: true })
  .extend({ source: version.shape.source, savedBy: z.string() })
export type WaitingDraft = z.infer<typeof waitingDraft>

/** The text that the person saw; without it the last writer wins. */
const baseVersion = z.coerce.number().int().min(1).max(2_147_483_647).optional()

/** The teaching that a change was made for: after a restore another one may have its number. */
const uid = z.uuid().optional()

const path = '/api/teachings/:id/transcript'
const user = { access: 'user', changes: true, params: idParam } as const

export const transcripts = {
  read: endpoint({
    method: 'GET',
    path,
    access: 'everyone',
    changes: false,
    summary: 'The text of a teaching; its draft and earlier versions for signed-in people alone.',
    params: idParam,
    answer,
  }),
  drafts: endpoint({
    method: 'GET',
    path: '/api/transcripts/drafts',
    access: 'user',
    changes: false,
    summary:
      'How many drafts of recordings wait to be checked and approved, and the first of them, the newest teachings first.',
    answer: z.object({ count: z.int(), drafts: z.array(waitingDraft) }),
  }),
  save: endpoint({
    ...user,
    method: 'PUT',
    path,
    summary:
      'Saves a draft: VTT, SRT, SBV or plain text, as the body (text/vtt, application/x-subrip, text/plain) or as the part `transcript` of a form. The content decides the format.',
    query: z.object({ language: languageTag.optional(), baseVersion, uid }),
    body: z.object({}),
    encoding: 'multipart',
    files: ['transcript'],
    answer: transcript,
  }),
  approve: endpoint({
    ...user,
    method: 'POST',
    path: `${path}/approve`,
    summary: 'Makes the draft the text that everyone reads; what it replaces goes to the bin for 30 days.',
    body: z.object({ baseVersion, uid }),
    answer: transcript,
  }),
  remove: endpoint({
    ...user,
    method: 'DELETE',
    path,
    summary: 'Moves the draft, the approved text, or both, to the bin for 30 days.',
    query: z.object({ only: z.enum(['draft', 'approved']).optional(), uid }),
    answer: z.object({ success: z.literal(true) }),
  }),
  restore: endpoint({
    ...user,
    method: 'POST',
    path: `${path}/versions/:version/restore`,
    summary: 'Makes an earlier text the draft again; the draft that it replaces goes to the bin for 30 days.',
    params: idParam.extend({ version: idParam.shape.id }),
    body: z.object({ baseVersion, uid }),
    answer: transcript,
  }),
  words: endpoint({
    method: 'GET',
    path: '/api/speech/words',
    access: 'user',
    changes: false,
    summary: 'The list of names and words of the church, for those who correct texts.',
    answer: z.object({ words: z.string() }),
  }),
}
