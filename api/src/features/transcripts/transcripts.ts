import { isSameText } from '@fellowship/schema/transcripts/edit-sentences'
import { Problem } from '@fellowship/schema/problem'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import type {
  Transcript,
  TranscriptAnswer,
  transcripts,
} from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptBinDays, transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { type AuditActor, writeAudit } from '../../db/audit-log.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/connection.ts'
import { binCounts, changeRows } from '../../db/synced-rows.ts'
import { findTeaching, findTeachingByUid, type MutationKey, once } from '../teachings/teachings.ts'
import type { ReadText } from './caption-bytes.ts'
import { assertUnchanged, type DraftText, facts, putDraft, shown } from './drafts.ts'
import {
  approveText,
  binnedText,
  binText,
  currentTexts,
  earlierTexts,
  insertDraft,
  lockTexts,
  purgeTexts,
  replaceSentences,
  waitingDrafts,
} from './transcripts.sql.ts'

export { approvedVtt } from './approved-vtt.ts'
export { readCaptionBytes, type ReadText } from './caption-bytes.ts'
export { forgetDropped, noteRecording, takeCaption } from './dropped-captions.ts'
export { approvedTexts } from './transcripts.sql.ts'

/** The teaching of a change: by its uid if the client sent one. */
interface Target {
  id: number
  uid?: string | undefined
}

/**
 * The texts of a teaching. For visitors a draft does not exist.
 *
 * @throws Problem `not_found`, in the same words if there is no teaching, no text, or nothing but a draft
 */
export async function readTranscript(
  { sql }: Pick<Context, 'sql'>,
  id: number,
  isSignedIn: boolean,
): Promise<TranscriptAnswer> {
  const teaching = (await findTeaching(sql, id))?.uid
  if (teaching === undefined) throw new Problem('not_found', texts.none)
  const { draft, approved } = await currentTexts(sql, teaching)
  const earlier = isSignedIn ? await earlierTexts(sql, teaching) : []
  if (!approved && !(isSignedIn && (draft ?? earlier[0]))) throw new Problem('not_found', texts.none)
  return {
    teaching,
    draft: isSignedIn && draft ? shown(draft) : null,
    approved: approved ? shown(isSignedIn ? approved : { ...approved, byName: '' }) : null,
    earlier: earlier.map((row) => ({
      ...facts(row),
      sentences: row.sentences,
      firstWords: row.firstWords,
      goneAt: new Date(row.deletedAt.getTime() + transcriptBinDays * 24 * 60 * 60_000).toISOString(),
    })),
  }
}

/** The drafts that wait to be checked and approved. */
export async function listDrafts({
  sql,
}: Pick<Context, 'sql'>): Promise<AnswerOf<typeof transcripts.drafts>> {
  const rows = await waitingDrafts(sql)
  const drafts = rows.map((row) => {
    const { count: _, ...draft } = row
    return draft
  })
  return { count: rows[0]?.count ?? 0, drafts }
}

/**
 * Saves a draft; the previous one goes to the bin, except for a person's own of the last minutes. It allocates no revision:
 * devices and feeds learn nothing of drafts.
 *
 * @throws Problem `not_found`, `revision_conflict` (with `current`), or `idempotency_mismatch`
 */
export function saveDraft(
  context: Pick<Context, 'sql' | 'clock'>,
  target: Target,
  text: DraftText,
  { actor, key }: { actor: AuditActor; key?: MutationKey | undefined },
): Promise<Transcript> {
  return inTransaction(context.sql, async (tx) => {
    const { uid, title } = await targetOf(tx, target)
    await lockTexts(tx, uid)
    return once(tx, key, () => putDraft(context, tx, { teaching: uid, title }, text, actor))
  })
}

/**
 * Publishes the draft. Approving an approved text again changes nothing.
 *
 * @throws Problem `not_found`, `revision_conflict` (with `current`)
 */
export function approveDraft(
  context: Context,
  { baseVersion, ...target }: Target & { baseVersion?: number | undefined },
  actor: AuditActor,
): Promise<Transcript> {
  return changeRows(context, async (tx) => {
    const { id, uid, title } = await targetOf(tx, target)
    await lockTexts(tx, uid)
    const { draft, approved } = await currentTexts(tx, uid)
    if (!draft && approved && approved.id === (baseVersion ?? approved.id)) return shown(approved)
    if (!draft) throw new Problem('not_found', texts.noDraft)
    assertUnchanged(draft, baseVersion)
    if (approved) await binText(tx, approved, transcriptLimits.versions)
    const at = context.clock.now()
    const published = await approveText(tx, draft.id, { by: actor.name, at })
    await writeAudit(tx, { actor, action: 'transcript.approved', subject: title, details: { id } }, at)
    return shown(published)
  })
}

/**
 * The text of a teaching that moves in with it, in the transaction that adds it: it was public at the old site, and the person
 * who confirmed the import approves it.
 */
export async function importText(
  context: Pick<Context, 'clock'>,
  tx: Transaction,
  { uid, title }: { uid: string; title: string },
  text: ReadText,
  actor: AuditActor,
): Promise<void> {
  await lockTexts(tx, uid)
  const draft = await putDraft(context, tx, { teaching: uid, title }, { ...text, source: 'import' }, actor)
  await approveText(tx, draft.version, { by: actor.name, at: context.clock.now() })
}

/**
 * Moves the draft, the approved text, or both to the bin.
 *
 * @throws Problem `not_found`
 */
export function removeTranscript(
  context: Context,
  { only, ...target }: Target & { only?: 'draft' | 'approved' | undefined },
  actor: AuditActor,
): Promise<void> {
  return changeRows(context, async (tx) => {
    const { id, uid, title } = await targetOf(tx, target)
    await lockTexts(tx, uid)
    const { draft, approved } = await currentTexts(tx, uid)
    const removed = [draft, approved].filter((text) => text && (!only || text.state === only))
    if (removed.length === 0) throw new Problem('not_found', texts.none)
    for (const text of removed) await binText(tx, text!, transcriptLimits.versions)
    const details = { id, states: removed.map((text) => text!.state) }
    await writeAudit(
      tx,
      { actor, action: 'transcript.deleted', subject: title, details },
      context.clock.now(),
    )
  })
}

/**
 * Makes an earlier text the draft again; it stays in the bin. If the draft is the same text, nothing changes.
 *
 * @throws Problem `not_found`, or `revision_conflict` (with `current`)
 */
export function restoreText(
  context: Pick<Context, 'sql' | 'clock'>,
  { version, baseVersion, ...target }: Target & { version: number; baseVersion?: number | undefined },
  actor: AuditActor,
): Promise<Transcript> {
  const { clock, sql } = context
  return inTransaction(sql, async (tx) => {
    const { uid, title, id } = await targetOf(tx, target)
    await lockTexts(tx, uid)
    const binned = await binnedText(tx, uid, version)
    if (!binned) throw new Problem('not_found', texts.notInBin)
    const { source, language, sentences } = binned
    const { draft, approved } = await currentTexts(tx, uid)
    if (draft && draft.language === language && isSameText(draft.sentences, sentences)) return shown(draft)
    const current = draft ?? approved
    // Without a text there is nothing to lose.
    if (current) assertUnchanged(current, baseVersion)
    if (draft) await binText(tx, draft, transcriptLimits.versions)
    const by = { byId: actor.id, byName: actor.name, savedAt: clock.now() }
    const restored = await insertDraft(tx, { teaching: uid, source, language, sentences, ...by })
    const entry = { actor, action: 'transcript.restored', subject: title, details: { id } }
    await writeAudit(tx, entry, clock.now())
    return shown(restored)
  })
}

/**
 * Moves the times of a teaching's texts after its recording was cut at the start, or after that was undone.
 *
 * @param seconds that were cut; below zero if they are back
 */
export async function moveTexts(tx: Transaction, teaching: string, seconds: number): Promise<void> {
  const by = Math.round(seconds * 1000)
  if (by === 0) return
  await lockTexts(tx, teaching)
  const { draft, approved } = await currentTexts(tx, teaching)
  const moved = (time: number | null) => (time === null ? null : Math.max(0, time - by))
  for (const text of [draft, approved]) {
    if (!text?.sentences.some(({ start }) => start !== null)) continue
    const sentences = text.sentences.map((sentence) => ({
      ...sentence,
      start: moved(sentence.start),
      end: moved(sentence.end),
    }))
    await replaceSentences(tx, text, sentences)
  }
}

/** Deletes texts for good that have been in the bin for more than 30 days, or whose teaching is gone; returns how many. */
export async function purgeTranscripts({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const counts = await binCounts(sql, 'transcripts', transcriptBinDays)
  return (await maySweep(sql, { name: 'transcripts', ...counts })) ? purgeTexts(sql, transcriptBinDays) : 0
}

async function targetOf(sql: Sql, { id, uid }: Target): Promise<{ id: number; uid: string; title: string }> {
  const found = uid === undefined ? await findTeaching(sql, id) : await findTeachingByUid(sql, uid)
  if (!found) throw new Problem('not_found', texts.gone)
  return found
}
