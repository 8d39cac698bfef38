import { Problem } from '@fellowship/schema/problem'
import type { Transcript } from '@fellowship/schema/transcripts/transcripts.contract'
import { isSameText } from '@fellowship/schema/transcripts/edit-sentences'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import type { TranscriptSource } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import type { Context } from '../../context.ts'
import { type AuditActor, countAudit } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import type { ReadText } from './caption-bytes.ts'
import { binText, currentTexts, deleteText, insertDraft, type StoredText } from './transcripts.sql.ts'

/** A text that is to become the draft. */
export interface DraftText extends ReadText {
  source: TranscriptSource
  /** The text that the person saw, 0 if there was none; without it the last writer wins. */
  baseVersion?: number | undefined
}

/** A person's repeated saves within this time are one version. */
const sameVersionMs = 10 * 60_000

/** As `saveDraft`, in a transaction that has locked the teaching's texts. */
export async function putDraft(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  { teaching, title }: { teaching: string; title: string },
  { sentences, language, source, baseVersion }: DraftText,
  actor: AuditActor,
): Promise<Transcript> {
  const { draft, approved } = await currentTexts(tx, teaching)
  // Sent again, as when its answer was lost: no conflict.
  if (draft && draft.language === language && isSameText(draft.sentences, sentences)) return shown(draft)
  assertUnchanged(draft ?? approved, baseVersion)
  const now = clock.now()
  if (draft) {
    const isOwn = draft.byId !== null && draft.byId === actor.id && draft.source === source
    if (isOwn && now.getTime() - draft.savedAt.getTime() < sameVersionMs) await deleteText(tx, draft.id)
    else await binText(tx, draft, transcriptLimits.versions)
  }
  const by = { byId: actor.id, byName: actor.name, savedAt: now }
  const saved = await insertDraft(tx, { teaching, source, language, sentences, ...by })
  await countAudit(tx, { actor, action: 'transcript.saved', subject: title }, now)
  return shown(saved)
}

/** @throws Problem `revision_conflict` (with `current`) */
export function assertUnchanged(current: StoredText | undefined, baseVersion: number | undefined): void {
  if (baseVersion === undefined || (current?.id ?? 0) === baseVersion) return
  const seen = current ? { current: shown(current) } : {}
  throw new Problem('revision_conflict', texts.changed, seen)
}

export const facts = ({ id, state, source, language, byName, savedAt }: Omit<StoredText, 'sentences'>) => ({
  version: id,
  state,
  source,
  language,
  savedBy: byName,
  savedAt: savedAt.toISOString(),
})

export const shown = (text: StoredText): Transcript => ({ ...facts(text), sentences: text.sentences })
