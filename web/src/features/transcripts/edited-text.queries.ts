import {
  decided,
  isConflict,
  type MergedPart,
  mergeTexts,
} from '@fellowship/schema/transcripts/edit-sentences'
import { type Transcript, transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError, NetworkError } from '@fellowship/sync/call/call-error'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type DraftKey, dropDraft, readDraft, writeDraft } from '../../lib/drafts.ts'
import { listen } from '../../lib/listen.ts'
import { currentOf } from '../../lib/save-over.ts'

type Text = readonly Sentence[]

/** The text that changes started from; version 0 if there was none. */
interface Base {
  version: number
  sentences: Text
  isDraft: boolean
}

const nothing: Base = { version: 0, sentences: [], isDraft: false }

export interface EditedText {
  /** Undefined until it was read. */
  sentences: Text | undefined
  isChanged: boolean
  isDraft: boolean
  isBusy: boolean
  /** The result of the last action, as a sentence. */
  notice: string
  /** Conflicts to decide on, in the order of the text. */
  parts: readonly MergedPart[] | undefined
  change: (next: Text) => void
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  save: () => Promise<boolean>
  approve: () => Promise<void>
  discard: () => Promise<void>
  upload: (file: File) => Promise<void>
  decide: (isMine: readonly boolean[]) => void
}

/** The text, its base, and the undo history; each change is stored on this device. */
function useTextState({ id, uid }: { id: number; uid: string }, owner: number) {
  const [base, setBase] = useState<Base>(nothing)
  const [past, setPast] = useState<Text[]>([])
  const [future, setFuture] = useState<Text[]>([])
  const [sentences, setSentences] = useState<Text>()
  const [notice, setNotice] = useState('')
  const [parts, setParts] = useState<MergedPart[]>()
  const key: DraftKey = { owner, kind: 'transcript', uid }

  const begin = (from: Base, own: Text = from.sentences) => {
    setBase(from)
    setSentences(own)
    setPast([])
    setFuture([])
  }
  const put = (next: Text, from = base) => {
    setSentences(next)
    if (next === from.sentences) dropDraft(key)
    else writeDraft(key, { at: Date.now(), row: from, words: { sentences: next } })
  }
  /** Goes on from the text of someone else. Returns whether a person has to decide. */
  const rebase = (from: Base, mine: Text, theirs: Base): boolean => {
    const merged = mergeTexts(from.sentences, mine, theirs.sentences)
    const hasConflict = merged.some(isConflict)
    setBase(theirs)
    put(hasConflict ? mine : decided(merged, []), theirs)
    if (hasConflict) setParts(merged)
    return hasConflict
  }
  useEffect(() => {
    let isCurrent = true
    const kept = keptChanges(key)
    readBase(id).then(
      (read) => {
        if (!isCurrent) return
        if (!kept || kept.base.version === read.version) begin(read, kept?.sentences)
        else rebase(kept.base, kept.sentences, read)
      },
      () => {
        if (!isCurrent) return
        if (kept) begin(kept.base, kept.sentences)
        setNotice(texts.loadFailed)
      },
    )
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the key follows from both
  }, [id, uid])

  const step = (from: Text[], setFrom: (left: Text[]) => void, to: Text[], setTo: (more: Text[]) => void) =>
    from.length === 0 || sentences === undefined
      ? undefined
      : () => {
          setFrom(from.slice(0, -1))
          setTo([...to, sentences])
          put(from.at(-1)!)
        }
  return {
    base,
    sentences,
    notice,
    parts,
    begin,
    put,
    rebase,
    setNotice,
    setParts,
    forgetKept: () => dropDraft(key),
    change: (next: Text) => {
      if (sentences === undefined) return
      setPast([...past.slice(-200), sentences])
      setFuture([])
      setNotice('')
      put(next)
    },
    accept: (saved: Transcript) => {
      setBase(baseOf(saved))
      setSentences(saved.sentences)
      dropDraft(key)
    },
    undo: step(past, setPast, future, setFuture),
    redo: step(future, setFuture, past, setPast),
  }
}

/**
 * A text while it is edited. Changes are stored on this device at once, so that they survive a reload and a lost connection,
 * and are saved when there is a connection again; changes of others are merged by sentence.
 */
export function useEditedText(teaching: { id: number; uid: string }, owner: number): EditedText {
  const state = useTextState(teaching, owner)
  const { base, sentences, notice, parts, change, undo, redo, setNotice } = state
  const { id, uid } = teaching
  const [isBusy, setBusy] = useState(false)
  const isChanged = sentences !== undefined && sentences !== base.sentences

  const run = async (work: () => Promise<void>): Promise<boolean> => {
    setBusy(true)
    try {
      await work()
      return true
    } catch (error) {
      const current = currentOf<Transcript>(error)
      if (current)
        setNotice(state.rebase(base, sentences ?? [], baseOf(current)) ? texts.bothChanged : texts.changed)
      else setNotice(error instanceof NetworkError ? texts.keptHere : sentenceOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  const send = (text: Text): Promise<Transcript> => {
    const transcript = new Blob([JSON.stringify({ sentences: text })], { type: 'application/json' })
    const query = { uid, ...(base.version > 0 && { baseVersion: base.version }) }
    return call(transcripts.save, { params: { id }, query, files: { transcript } })
  }
  const save = () =>
    run(async () => {
      if (isChanged) state.accept(await send(sentences))
      setNotice(texts.saved)
    })
  const done = async (work: () => Promise<void>): Promise<void> => void (await run(work))
  useSaveOnline(isChanged && notice === texts.keptHere, save)
  const isDraft = base.isDraft
  return {
    sentences,
    isChanged,
    isDraft,
    isBusy,
    notice,
    parts,
    change,
    undo,
    redo,
    save,
    approve: () =>
      done(async () => {
        const saved = isChanged ? await send(sentences) : undefined
        if (saved) state.accept(saved)
        const baseVersion = saved?.version ?? base.version
        state.accept(await call(transcripts.approve, { params: { id }, body: { uid, baseVersion } }))
        setNotice(texts.approved)
      }),
    discard: () =>
      done(async () => {
        await call(transcripts.remove, { params: { id }, query: { only: 'draft', uid } })
        state.forgetKept()
        state.begin(await readBase(id))
        setNotice(texts.discarded)
      }),
    upload: (file) =>
      done(async () => {
        const saved = await call(transcripts.save, {
          params: { id },
          query: { uid },
          files: { transcript: file },
        })
        state.forgetKept()
        state.begin(baseOf(saved))
        setNotice(texts.saved)
      }),
    decide: (isMine) => {
      if (!parts) return
      state.setParts(undefined)
      setNotice('')
      state.put(decided(parts, isMine))
    },
  }
}

const baseOf = ({ version, sentences, state }: Transcript): Base => ({
  version,
  sentences,
  isDraft: state === 'draft',
})

/** Saves once the device is online again. */
function useSaveOnline(isWaiting: boolean, save: () => Promise<boolean>): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })
  const again = useCallback(() => void latest.current(), [])
  useEffect(() => (isWaiting ? listen(window, ['online'], again) : undefined), [isWaiting, again])
}

function keptChanges(key: DraftKey): { base: Base; sentences: Text } | undefined {
  const draft = readDraft(key)
  const { sentences } = (draft?.words ?? {}) as { sentences?: Text }
  return draft && Array.isArray(sentences) ? { base: draft.row as Base, sentences } : undefined
}

async function readBase(id: number): Promise<Base> {
  try {
    const { draft, approved } = await call(transcripts.read, { params: { id } })
    const text = draft ?? approved
    return text ? baseOf(text) : nothing
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return nothing
    throw error
  }
}

const sentenceOf = (error: unknown) => (error instanceof CallError ? error.sentence : String(error))
