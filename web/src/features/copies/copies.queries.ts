import { copies, type SoundNote } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'

/** Milliseconds between two polls while recordings still have to be measured. */
const pollMs = 15_000

export const useSoundNotes = adminQuery(copies.sounds, {
  pollMs: (answer) => (answer && answer.waiting.length > 0 ? pollMs : false),
})

export const useTrim = adminMutation({
  call: ({ id, uid }: SoundNote) => call(copies.trim, { params: { id }, body: { uid } }),
  success: (teaching) => ({
    title: copyTexts.trimmed,
    description: `${shownTitle(teaching)}. ${copyTexts.trimmedAdvice}`,
  }),
  failure: copyTexts.trimFailed,
  invalidates: [copies.sounds],
  pendingUntilRefreshed: true,
})

export const useUntrim = adminMutation({
  call: ({ id, uid }: SoundNote) => call(copies.untrim, { params: { id }, body: { uid } }),
  success: (teaching) => ({ title: copyTexts.broughtBack, description: shownTitle(teaching) }),
  failure: copyTexts.untrimFailed,
  invalidates: [copies.sounds],
  pendingUntilRefreshed: true,
})
