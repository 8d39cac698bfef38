import type { SpeechStatus } from '@fellowship/schema/speech/speech.contract'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { inSnapshot } from '../../db/connection.ts'
import {
  changeChoices,
  forgetFailures,
  speechChoices,
  speechCounts,
  type SpeechChoices,
} from './speech.sql.ts'

/** Progress and cost of the drafts that a machine makes. */
export async function speechStatus({ sql, config, clock }: Context): Promise<SpeechStatus> {
  const read = await inSnapshot(sql, async (tx) => ({
    ...(await speechChoices(tx)),
    ...(await speechCounts(tx, clock.now())),
  }))
  return { by: config.speech?.kind ?? 'off', ...read }
}

/** The list of names and words. */
export const spokenWords = async ({ sql }: Pick<Context, 'sql'>): Promise<{ words: string }> => ({
  words: (await speechChoices(sql)).words,
})

/** Pauses or resumes the drafts, which breaks off one in progress, and sets the list of names and words. */
export async function changeSpeech(
  context: Context,
  wanted: Partial<SpeechChoices>,
  actor: Actor,
): Promise<SpeechStatus> {
  const { sql, clock, changes } = context
  await sql.begin(async (tx) => {
    const before = await changeChoices(tx, wanted)
    const after = { ...before, ...wanted }
    const actions = [
      after.paused !== before.paused && (after.paused ? 'speech.paused' : 'speech.continued'),
      after.words !== before.words && 'speech.words_changed',
    ]
    for (const action of actions)
      if (action) await writeAudit(tx, { actor, action, subject: 'machine drafts' }, clock.now())
  })
  // Wakes the worker.
  changes.announce()
  return speechStatus(context)
}

/** Forgets failures, so that these recordings are heard again. */
export async function retrySpeech(context: Context, actor: Actor): Promise<SpeechStatus> {
  const { sql, clock } = context
  await sql.begin(async (tx) => {
    await forgetFailures(tx)
    await writeAudit(tx, { actor, action: 'speech.retried', subject: 'machine drafts' }, clock.now())
  })
  context.changes.announce()
  return speechStatus(context)
}
