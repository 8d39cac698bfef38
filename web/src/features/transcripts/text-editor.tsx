import {
  changeSentence,
  isConflict,
  joinSentence,
  replaceWords,
  splitSentence,
} from '@fellowship/schema/transcripts/edit-sentences'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { DialogPanel, DialogTitle } from '@headlessui/react'
import { Redo2, Undo2, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { ConflictChoice } from '../../ui/conflict-choice.tsx'
import { controlClass, Field } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { CaptionField } from './caption-field.tsx'
import { EarlierTexts } from './earlier-texts.tsx'
import { type EditedText, useEditedText } from './edited-text.queries.ts'
import { NamesToCheck } from './names-to-check.tsx'
import { type ReadPlayer, sentenceAt } from './read-along.tsx'
import { Row, type RowActions } from './sentence-row.tsx'
import { backSeconds, playerOf, type SharedPlayer, SoundControls } from './sound-controls.tsx'
import './text-editor.css'

interface TextEditorProps {
  teaching: { id: number; uid: string }
  title: string
  userId: number
  player: SharedPlayer
  /** Plays from a second. */
  onPlay: (seconds: number) => void
  onClose: () => void
}

/** Corrects the text of a teaching beside its player, and approves it. */
export function TextEditor({ teaching, title, userId, player: shared, onPlay, onClose }: TextEditorProps) {
  const player = useMemo(() => playerOf(shared, teaching.uid), [shared, teaching.uid])
  const text = useEditedText(teaching, userId)
  const { sentences, parts } = text
  const notice = useRef<HTMLOutputElement>(null)
  return (
    <Modal onClose={onClose}>
      <DialogPanel className="fixed inset-0 text-editor-area flex flex-col overflow-y-auto overscroll-contain bg-paper">
        <div className="page pt-2 pb-20">
          <div className="flex items-center justify-between gap-3">
            <DialogTitle className="font-serif text-2xl leading-snug wrap-anywhere">
              Text of {title}
            </DialogTitle>
            <IconButton label="Close the editor" onClick={onClose} className="-mr-2">
              <X className="size-6" />
            </IconButton>
          </div>
          <div className="text-editor-actions">
            <Actions text={text}>
              {!parts && sentences !== undefined && sentences.length > 0 && (
                <SoundControls player={player} onPlay={onPlay} />
              )}
            </Actions>
            <output ref={notice} className="mt-1 block min-h-6 text-small text-wheat-text">
              {!parts && text.notice}
            </output>
          </div>
          {parts && <Conflicts text={text} />}
          {!parts && sentences?.length === 0 && <FromFile text={text} />}
          {!parts && sentences !== undefined && sentences.length > 0 && (
            <>
              <NamesToCheck sentences={sentences} onChange={text.change} />
              <Replace sentences={sentences} onChange={text.change} />
              <Sentences text={text} sentences={sentences} player={player} onPlay={onPlay} />
              <details className="mt-8 border-t border-line pt-4">
                <summary className="min-h-11 cursor-pointer text-pine">
                  Replace the whole text by a file
                </summary>
                <FromFile text={text} />
              </details>
            </>
          )}
          {!parts && sentences !== undefined && (
            <EarlierTexts
              id={teaching.id}
              text={text}
              onAnswered={() => notice.current?.scrollIntoView({ block: 'center' })}
            />
          )}
        </div>
      </DialogPanel>
    </Modal>
  )
}

function Actions({ text, children }: { text: EditedText; children: ReactNode }) {
  const { isChanged, isDraft, isBusy, sentences, parts } = text
  const isEmpty = !sentences || sentences.length === 0 || parts !== undefined
  return (
    <div className="flex flex-wrap items-center gap-2">
      {children}
      <IconButton label="Undo" disabled={!text.undo} onClick={() => text.undo?.()} icon={Undo2} />
      <IconButton label="Redo" disabled={!text.redo} onClick={() => text.redo?.()} icon={Redo2} />
      <Button
        kind="secondary"
        disabled={!isChanged || isEmpty}
        pending={isBusy}
        onClick={() => void text.save()}
      >
        Save
      </Button>
      <Button
        disabled={isEmpty || !(isChanged || isDraft)}
        pending={isBusy}
        onClick={() => void text.approve()}
      >
        Approve
      </Button>
      {isDraft && (
        <Button kind="quiet" disabled={isBusy} onClick={() => void text.discard()}>
          Discard draft
        </Button>
      )}
    </div>
  )
}

function FromFile({ text }: { text: EditedText }) {
  return (
    <div className="measure mt-4">
      <CaptionField label="Text as a file" disabled={text.isBusy} onRead={(file) => void text.upload(file)} />
    </div>
  )
}

function Conflicts({ text }: { text: EditedText }) {
  const conflicts = (text.parts ?? []).filter(isConflict)
  const wordsOf = (all: readonly Sentence[]) => all.map((each) => each.text).join(' ')
  return (
    <ConflictChoice
      sentence={texts.bothChanged}
      pending={false}
      fields={conflicts.map(({ mine, theirs }, at) => ({
        name: String(at),
        label: clockTime((mine[0]?.start ?? theirs[0]?.start ?? NaN) / 1000),
        mine: wordsOf(mine),
        theirs: wordsOf(theirs),
      }))}
      onDecided={(theirs) => text.decide(conflicts.map((_, at) => !theirs.includes(String(at))))}
    />
  )
}

function Replace({
  sentences,
  onChange,
}: {
  sentences: readonly Sentence[]
  onChange: (next: readonly Sentence[]) => void
}) {
  const [find, setFind] = useState('')
  const [by, setBy] = useState('')
  const [told, setTold] = useState('')
  const replace = () => {
    const { sentences: next, count } = replaceWords(sentences, find, by)
    if (count > 0) onChange(next)
    setTold(texts.replaced(count))
  }
  return (
    <details className="mt-2">
      <summary className="min-h-11 cursor-pointer text-pine">Find and replace</summary>
      <div className="mt-2 flex flex-wrap items-end gap-3">
        <Field label="Find">
          {(control) => (
            <input
              {...control}
              className={controlClass}
              value={find}
              onChange={({ target }) => setFind(target.value)}
            />
          )}
        </Field>
        <Field label="Replace by">
          {(control) => (
            <input
              {...control}
              className={controlClass}
              value={by}
              onChange={({ target }) => setBy(target.value)}
            />
          )}
        </Field>
        <Button kind="secondary" disabled={find.trim() === ''} onClick={replace}>
          Replace all
        </Button>
        <output className="block min-h-6 text-small text-soft">{told}</output>
      </div>
    </details>
  )
}

interface SentencesProps {
  text: EditedText
  sentences: readonly Sentence[]
  player: ReadPlayer
  onPlay: (seconds: number) => void
}

function Sentences({ text, sentences, player, onPlay }: SentencesProps) {
  const [open, setOpen] = useState<{ at: number; caret: number }>()
  const list = useRef<HTMLOListElement>(null)
  useSounding(list, sentences, player)
  const actions = useRef<RowActions>(null)
  const back = () => onPlay(Math.max(0, player.state().position - backSeconds))
  const next = () => {
    const now = player.state().position * 1000
    const later = sentences.find(({ start }) => start !== null && start > now)
    if (later) onPlay(later.start! / 1000)
  }
  // The rows are rendered once; their handlers are always the present ones.
  useLayoutEffect(() => {
    actions.current = {
      open: (at) => setOpen({ at, caret: 0 }),
      close: () => setOpen(undefined),
      play: onPlay,
      change: (at, words) => {
        if (words !== sentences[at]!.text) text.change(changeSentence(sentences, at, words), open)
      },
      split: (at, words, caret) => {
        text.change(splitSentence(changeSentence(sentences, at, words), at, caret))
        setOpen({ at: at + 1, caret: 0 })
      },
      join: (at, words) => {
        const caret = sentences[at - 1]!.text.length + 1
        text.change(joinSentence(changeSentence(sentences, at, words), at))
        setOpen({ at: at - 1, caret })
      },
    }
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
    const isUndo =
      (ctrlKey || metaKey) && key.toLowerCase() === 'z' && !(target instanceof HTMLTextAreaElement)
    const action =
      altKey && key === 'ArrowLeft'
        ? back
        : altKey && key === 'ArrowRight'
          ? next
          : isUndo
            ? shiftKey
              ? text.redo
              : text.undo
            : undefined
    if (!action) return
    event.preventDefault()
    action()
  }
  return (
    <div className="mt-4">
      <p className="measure text-small text-soft">
        Press a time to hear it, and words to change them.{' '}
        <span className="pointer-coarse:hidden">
          Enter splits a sentence, Backspace at its beginning joins it; Alt and the arrows go back three
          seconds, or on to the next sentence.
        </span>
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the controls in it */}
      <ol ref={list} className="text-editor mt-3" onKeyDown={onKeyDown}>
        {sentences.map((sentence, at) => (
          <Row
            // oxlint-disable-next-line react/no-array-index-key -- a sentence has no identity but its place
            key={at}
            at={at}
            sentence={sentence}
            caret={open?.at === at ? open.caret : undefined}
            actions={actions}
          />
        ))}
      </ol>
    </div>
  )
}

/** Marks the sentence that sounds, in the document. */
function useSounding(
  list: { readonly current: HTMLElement | null },
  sentences: readonly Sentence[],
  player: ReadPlayer,
): void {
  useLayoutEffect(() => {
    const starts = sentences.map(({ start }) => start ?? -1)
    let marked: Element | null = null
    const show = () => {
      const at = sentenceAt(starts, player.state().position * 1000)
      const sounding = list.current?.querySelector(`[data-at="${at}"]`) ?? null
      if (sounding === marked) return
      marked?.removeAttribute('aria-current')
      sounding?.setAttribute('aria-current', 'true')
      marked = sounding
      const isTyping = document.activeElement instanceof HTMLTextAreaElement
      if (sounding && !isTyping) sounding.scrollIntoView({ block: 'nearest' })
    }
    show()
    const stop = player.subscribe(show)
    return () => {
      marked?.removeAttribute('aria-current')
      stop()
    }
  }, [list, sentences, player])
}
