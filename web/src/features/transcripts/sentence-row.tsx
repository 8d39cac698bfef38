import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'

export interface RowActions {
  open: (at: number) => void
  close: () => void
  play: (seconds: number) => void
  /** All changes until the sentence is closed are undone together. */
  change: (at: number, words: string) => void
  split: (at: number, words: string, caret: number) => void
  join: (at: number, words: string) => void
}

interface RowProps {
  at: number
  sentence: Sentence
  /** The caret at the start of typing, if it is open. */
  caret: number | undefined
  actions: { readonly current: RowActions | null }
}

/** A sentence of the editor: its time plays it, and a press on its words opens them. */
export const Row = memo(function Row({ at, sentence, caret, actions }: RowProps) {
  const { start, about, voice, text } = sentence
  return (
    <li data-at={at}>
      {start === null ? (
        <span className="text-small text-soft">–:––</span>
      ) : (
        <button
          type="button"
          className="min-h-11 text-left text-small text-pine tabular-nums"
          aria-label={`Play from ${clockTime(start / 1000)}`}
          onClick={() => actions.current?.play(start / 1000)}
        >
          {about && '~'}
          {clockTime(start / 1000)}
        </button>
      )}
      {caret === undefined ? (
        <button type="button" className="words" onClick={() => actions.current?.open(at)}>
          {voice !== '' && <b>{voice}: </b>}
          {text}
        </button>
      ) : (
        <Typing at={at} text={text} caret={caret} actions={actions} />
      )}
    </li>
  )
})

/** Milliseconds after the last key until the words are stored. */
const typedMs = 400

function Typing({
  at,
  text,
  caret,
  actions,
}: { at: number; text: string; caret: number } & Pick<RowProps, 'actions'>) {
  const area = useRef<HTMLTextAreaElement>(null)
  const isLeft = useRef(false)
  const [before] = useState(text)
  const timer = useRef(0)
  useLayoutEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(caret, caret)
  }, [caret])
  useEffect(() => () => clearTimeout(timer.current), [])
  const leave = (action: () => void) => {
    isLeft.current = true
    clearTimeout(timer.current)
    action()
  }
  // Stored during typing, as the page may be closed at any time.
  const onInput = () => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      const words = area.current!.value
      if (words.trim() !== '') actions.current?.change(at, words)
    }, typedMs)
  }
  const split = () => {
    const { value, selectionStart } = area.current!
    const rest = value.slice(0, selectionStart).trimStart().length
    leave(() => actions.current?.split(at, value, rest))
  }
  const join = () => leave(() => actions.current?.join(at, area.current!.value))
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { value, selectionEnd } = event.currentTarget
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      split()
    } else if (event.key === 'Backspace' && selectionEnd === 0 && at > 0 && value.trim() !== '') {
      event.preventDefault()
      join()
    } else if (event.key === 'Escape') {
      // Closes the sentence, not the editor.
      event.stopPropagation()
      event.preventDefault()
      leave(() => {
        actions.current?.change(at, before)
        actions.current?.close()
      })
    }
  }
  return (
    <div>
      <textarea
        ref={area}
        rows={1}
        className="words"
        aria-label="Sentence"
        defaultValue={text}
        onInput={onInput}
        onKeyDown={onKeyDown}
        onBlur={({ currentTarget }) => {
          if (isLeft.current) return
          leave(() => {
            actions.current?.change(at, currentTarget.value)
            actions.current?.close()
          })
        }}
      />
      {/* On phones, whose keyboards may not send these keys. */}
      <p className="flex flex-wrap">
        <Button kind="quiet" tabIndex={-1} onMouseDown={keepCaret} onClick={split}>
          Split here
        </Button>
        {at > 0 && (
          <Button kind="quiet" tabIndex={-1} onMouseDown={keepCaret} onClick={join}>
            Join to the one before
          </Button>
        )}
      </p>
    </div>
  )
}

/** A press that takes the focus would close the sentence. */
const keepCaret = (event: MouseEvent) => event.preventDefault()
