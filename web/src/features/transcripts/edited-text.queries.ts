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
import { CallError, NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { onSignal } from '@fellowship/sync/client/engine/signals'
import { useCallback, useEffect, useRef, useState } from 'react'
import { dropDraft } from '../../lib/drafts.ts'
import { currentOf } from '../../lib/save-over.ts'
import { type Base, keepText, keyOfText, noText, openTexts, readKept, sendText } from './waiting-texts.ts'

type Text = readonly Sentence[]

export interface EditedText {
  /** Undefined until it was read. */
  sentences: Text | undefined
  /** Of the saved text; 0 if there is none. */
  version: number
  isChanged: boolean
  isDraft: boolean
  isBusy: boolean
  /** The result of the last action, as a sentence. */
  notice: string
  /** Conflicts to decide on, in the order of the text. */
  parts: readonly MergedPart[] | undefined
  /** @param step changes with the same one are undone together */
  change: (next: Text, step?: object) => void
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  save: () => Promise<boolean>
  approve: () => Promise<void>
  discard: () => Promise<void>
  upload: (file: File) => Promise<void>
  /** Makes an earlier version the draft. */
  restore: (version: number) => Promise<void>
  decide: (isMine: readonly boolean[]) => void
}

/** The text, its base, and the undo history; each change is stored on this device. */
function useTextState({ id, uid }: { id: number; uid: string }, owner: number) {
  const [base, setBase] = useState<Base>(noText)
  const [sentences, setSentences] = useState<Text>()
  const [notice, setNotice] = useState('')
  const [parts, setParts] = useState<MergedPart[]>()
  const [isWaiting, setWaiting] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const key = keyOfText(owner, uid)
  const history = useHistory(sentences, (next) => put(next))

  const begin = (from: Base, own: Text = from.sentences) => {
    setBase(from)
    setSentences(own)
    history.clear()
  }
  const keep = (next: Text, from: Base, waits: boolean) => {
    setWaiting(waits)
    keepText(key, { base: from, sentences: next, ...(waits && { waitsFor: id }) })
  }
  const forget = () => {
    setWaiting(false)
    dropDraft(key)
  }
  const put = (next: Text, from = base) => {
    setSentences(next)
    if (next === from.sentences) forget()
    else keep(next, from, isWaiting)
  }
  /** Goes on from the text of someone else. Returns whether a person has to decide. */
  const rebase = (from: Base, mine: Text, theirs: Base): boolean => {
    if (mine === from.sentences) {
      begin(theirs)
      return false
    }
    const merged = mergeTexts(from.sentences, mine, theirs.sentences)
    const hasConflict = merged.some(isConflict)
    setBase(theirs)
    put(hasConflict ? mine : decided(merged, []), theirs)
    if (hasConflict) setParts(merged)
    return hasConflict
  }
  useEffect(() => {
    let isCurrent = true
    openTexts.add(uid)
    const kept = readKept(key)
    readBase(id).then(
      (read) => {
        if (!isCurrent) return
        if (kept && kept.base.version !== read.version) return void rebase(kept.base, kept.sentences, read)
        begin(read, kept?.sentences)
        setSaving(kept?.waitsFor !== undefined)
      },
      () => {
        if (!isCurrent) return
        if (kept) begin(kept.base, kept.sentences)
        setWaiting(kept?.waitsFor !== undefined)
        setNotice(kept?.waitsFor === undefined ? texts.loadFailed : texts.keptHere)
      },
    )
    return () => {
      isCurrent = false
      openTexts.delete(uid)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the key follows from both
  }, [id, uid])

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
    isWaiting,
    /** It waited for a connection until the editor was opened. */
    isSaving,
    /** Sends the text when there is a connection, also after the editor was closed. */
    wait: () => sentences !== undefined && keep(sentences, base, true),
    forgetKept: forget,
    change: (next: Text, ofStep?: object) => {
      if (sentences === undefined) return
      history.add(sentences, ofStep)
      setNotice('')
      put(next)
    },
    accept: (saved: Transcript) => {
      setBase(baseOf(saved))
      setSentences(saved.sentences)
      forget()
    },
    undo: history.undo,
    redo: history.redo,
  }
}

/** Earlier and undone texts of the present one. */
function useHistory(present: Text | undefined, put: (text: Text) => void) {
  const [past, setPast] = useState<Text[]>([])
  const [future, setFuture] = useState<Text[]>([])
  const latest = useRef<object>(undefined)
  const step = (from: Text[], setFrom: (left: Text[]) => void, to: Text[], setTo: (more: Text[]) => void) =>
    from.length === 0 || present === undefined
      ? undefined
      : () => {
          setFrom(from.slice(0, -1))
          setTo([...to, present])
          latest.current = undefined
          put(from.at(-1)!)
        }
  return {
    add: (text: Text, ofStep: object | undefined) => {
      if (ofStep === undefined || ofStep !== latest.current) setPast([...past.slice(-200), text])
      latest.current = ofStep
      setFuture([])
    },
    clear: () => {
      setPast([])
      setFuture([])
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
      else setNotice(sentenceOfError(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  const send = async (text: Text): Promise<Transcript> => {
    try {
      return await sendText(owner, teaching, { base, sentences: text })
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      state.wait()
      throw new Error(texts.keptHere, { cause: error })
    }
  }
  const save = () =>
    run(async () => {
      if (isChanged) state.accept(await send(sentences))
      setNotice(texts.saved)
    })
  const done = async (work: () => Promise<void>): Promise<void> => void (await run(work))
  useSaveOnline(isChanged && state.isWaiting, isChanged && state.isSaving, save)
  const isDraft = base.isDraft
  return {
    sentences,
    version: base.version,
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
    restore: (version) =>
      done(async () => {
        const baseVersion = base.version || undefined
        const body = { uid, baseVersion }
        const restored = await call(transcripts.restore, { params: { id, version }, body })
        state.forgetKept()
        state.begin(baseOf(restored))
        setNotice(texts.restored)
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

/** Saves when the device may be online again, or is known to be. */
function useSaveOnline(isWaiting: boolean, isSaving: boolean, save: () => Promise<boolean>): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })
  const again = useCallback(() => void latest.current(), [])
  useEffect(() => (isWaiting ? onSignal(again) : undefined), [isWaiting, again])
  useEffect(() => {
    if (isSaving) again()
  }, [isSaving, again])
}

async function readBase(id: number): Promise<Base> {
  try {
    const { draft, approved } = await call(transcripts.read, { params: { id } })
    const text = draft ?? approved
    return text ? baseOf(text) : noText
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return noText
    throw error
  }
}
