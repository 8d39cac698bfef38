import { actingUserHeader } from '@fellowship/schema/endpoint'
import { type Transcript, transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { call } from '@fellowship/sync/call/call'
import { NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { onSignal } from '@fellowship/sync/client/engine/signals'
import { verdictOf, withTimeLimit } from '@fellowship/sync/client/engine/request'
import { type DraftKey, dropDraft, draftUids, readDraft, writeDraft } from '../../lib/drafts.ts'
import { showToast, type ToastMessage } from '../../ui/toast.ts'
import type { CaptionBytes } from './caption-file.ts'

type Text = readonly Sentence[]

/** The text that changes started from; version 0 if there was none. */
export interface Base {
  version: number
  sentences: Text
  isDraft: boolean
}

export const noText: Base = { version: 0, sentences: [], isDraft: false }

/** A changed text on this device. */
export interface KeptText {
  base: Base
  sentences: Text
  /** The number of its teaching, if it was saved without a connection: it is sent when there is one. */
  waitsFor?: number | undefined
  language?: string
}

export const keyOfText = (owner: number, uid: string): DraftKey => ({ owner, kind: 'transcript', uid })

export function readKept(key: DraftKey): KeptText | undefined {
  const draft = readDraft(key)
  const { sentences, ...rest } = (draft?.words ?? {}) as Partial<KeptText>
  return draft && Array.isArray(sentences) ? { ...rest, base: draft.row as Base, sentences } : undefined
}

export const keepText = (key: DraftKey, { base, ...words }: KeptText): void =>
  writeDraft(key, { at: Date.now(), row: base, words: { ...words } })

/** Milliseconds that sending a text may take. */
const sendingMs = 60_000

/** Sends a text of this person, which becomes the draft of its teaching. */
export function sendText(
  owner: number,
  { id, uid }: { id: number; uid: string },
  { base, sentences, language }: KeptText,
): Promise<Transcript> {
  const input = {
    params: { id },
    query: { uid, ...(base.version > 0 && { baseVersion: base.version }), ...(language && { language }) },
    files: { transcript: new Blob([JSON.stringify({ sentences })], { type: 'application/json' }) },
    headers: { [actingUserHeader]: String(owner) },
  }
  return withTimeLimit(({ signal }) => call(transcripts.save, { ...input, signal }), { ms: sendingMs })
}

/**
 * Saves the text of a file as the draft of a teaching, whatever text it has; without a connection it waits on this device.
 *
 * @returns the result for a toast
 * @throws if the server refuses it, or it can neither be sent nor stored
 */
export async function saveFile(
  teaching: { id: number; uid: string },
  { sentences, language }: CaptionBytes,
  owner: number,
): Promise<ToastMessage> {
  const key = keyOfText(owner, teaching.uid)
  const text = { base: noText, sentences, language }
  try {
    await sendText(owner, teaching, text)
    dropDraft(key)
    return { title: texts.savedTitle, description: texts.saved }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    keepText(key, { ...text, waitsFor: teaching.id })
    if (readKept(key)?.sentences.length !== sentences.length) throw new Error(texts.notKept, { cause: error })
    return { title: texts.waitsTitle, description: texts.keptHere }
  }
}

/** The teachings whose text is open in an editor of this page, which sends it. */
export const openTexts = new Set<string>()

/** Sends the texts that this person saved without a connection, now and whenever there may be one. */
export function sendWaitingTexts(owner: number): () => void {
  const send = () => void (sending = sending.then(() => sendEach(owner)))
  send()
  return onSignal(send)
}

/** One after the other. */
let sending = Promise.resolve()

async function sendEach(owner: number): Promise<void> {
  for (const uid of draftUids({ owner, kind: 'transcript' })) {
    const key = keyOfText(owner, uid)
    const kept = readKept(key)
    if (kept?.waitsFor === undefined || openTexts.has(uid)) continue
    try {
      await sendText(owner, { id: kept.waitsFor, uid }, kept)
      dropDraft(key)
    } catch (error) {
      if (['again', 'sign in'].includes(verdictOf(error))) return
      // The editor shows it again, with the changes of others beside it.
      keepText(key, { ...kept, waitsFor: undefined })
      showToast({ title: texts.notSent, description: sentenceOfError(error), kind: 'destructive' })
    }
  }
}
