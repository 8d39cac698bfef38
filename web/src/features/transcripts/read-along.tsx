import { paragraphStarts } from '@fellowship/schema/transcripts/paragraphs'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { listen } from '../../lib/listen.ts'
import { Button } from '../../ui/button.tsx'
import { readText, type TeachingText } from './kept-texts.ts'
import './read-along.css'

/** The player, as far as the text needs it. */
export interface ReadPlayer {
  subscribe: (listener: () => void) => () => void
  state: () => { position: number }
}

interface ReadAlongProps {
  teaching: TeachingText
  player: ReadPlayer
  onPlay: (seconds: number) => void
}

/** The text of the recording: it follows the recording until it is scrolled by hand, and a press on a sentence plays it. */
export function ReadAlong({ teaching, player, onPlay }: ReadAlongProps) {
  const { uid, transcriptRev } = teaching
  const [read, setRead] = useState<{ uid: string; sentences?: readonly Sentence[] }>()
  useEffect(() => {
    let isCurrent = true
    readText({ uid, transcriptRev }).then(
      (sentences) => isCurrent && setRead({ uid, sentences }),
      () => isCurrent && setRead({ uid }),
    )
    return () => {
      isCurrent = false
    }
  }, [uid, transcriptRev])
  if (read?.uid !== uid) return null
  if (!read.sentences)
    return (
      <p className="mt-4 text-center text-small text-soft">The text will be here when you’re back online.</p>
    )
  return <Following sentences={read.sentences} player={player} onPlay={onPlay} />
}

interface FollowingProps extends Omit<ReadAlongProps, 'teaching'> {
  sentences: readonly Sentence[]
}

function Following({ sentences, player, onPlay }: FollowingProps) {
  const area = useRef<HTMLElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const shown = useRef<Element>(null)
  const starts = useMemo(() => sentences.map(({ start }) => start ?? -1), [sentences])
  useLayoutEffect(() => {
    const show = () => {
      const at = sentenceAt(starts, player.state().position * 1000)
      const next = area.current?.querySelector(`[data-at="${at}"]`) ?? null
      if (next === shown.current) return
      shown.current?.removeAttribute('aria-current')
      next?.setAttribute('aria-current', 'true')
      shown.current = next
      if (next && isFollowing) bringIntoSight(area.current!, next)
    }
    shown.current?.removeAttribute('aria-current')
    shown.current = null
    show()
    return player.subscribe(show)
  }, [starts, player, isFollowing])
  // Before it can be seen, so that it hears the first turn of a wheel.
  useLayoutEffect(() => {
    // Not scroll events: following causes them too.
    const stop = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || /^(Arrow|Page|Home|End)/.test(event.key)) setFollowing(false)
    }
    return listen(area.current!, ['wheel', 'touchmove', 'keydown'], stop, { passive: true })
  }, [])
  return (
    <div className="mt-5">
      <section
        ref={area}
        aria-label="What is said"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: it scrolls by keyboard
        tabIndex={0}
        className="read-along text-soft wrap-anywhere"
      >
        <Paragraphs sentences={sentences} onPlay={onPlay} />
      </section>
      {!isFollowing && (
        <p className="mt-2 text-center">
          <Button kind="quiet" onClick={() => setFollowing(true)}>
            Follow the recording
          </Button>
        </p>
      )}
    </div>
  )
}

/** Rendered once: the sentence that sounds is marked in the document. */
const Paragraphs = memo(function Paragraphs({ sentences, onPlay }: Omit<FollowingProps, 'player'>) {
  const starts = paragraphStarts(sentences)
  return starts.map((from, at) => (
    <p key={from}>
      {sentences[from]!.voice !== '' && <b>{sentences[from]!.voice}: </b>}
      {sentences.slice(from, starts[at + 1]).map(({ text, start }, within) => (
        <span key={from + within}>
          {start === null ? (
            text
          ) : (
            <button type="button" data-at={from + within} onClick={() => onPlay(start / 1000)}>
              {text}
            </button>
          )}{' '}
        </span>
      ))}
    </p>
  ))
})

/** The index of the last sentence that began by this time, -1 before the first one. */
export function sentenceAt(starts: readonly number[], ms: number): number {
  let found = -1
  for (const [at, start] of starts.entries()) if (start >= 0 && start <= ms) found = at
  return found
}

/** The area alone scrolls: `scrollIntoView` would move the page around it too. */
function bringIntoSight(area: HTMLElement, sentence: Element): void {
  const [around, own] = [area.getBoundingClientRect(), sentence.getBoundingClientRect()]
  const top = own.top - around.top + area.scrollTop - around.height / 3
  const isQuiet = matchMedia('(prefers-reduced-motion: reduce)').matches
  area.scrollTo({ top, behavior: isQuiet ? 'instant' : 'smooth' })
}
