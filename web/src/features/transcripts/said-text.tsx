import type { Paragraph } from '@fellowship/schema/transcripts/paragraphs'
import { useEffect, useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import type { TeachingText } from './kept-texts.ts'

interface SaidTextProps {
  teaching: TeachingText
  /** As the page was rendered; undefined on any other page. */
  first: readonly Paragraph[] | undefined
  /** Plays from a second; undefined without a recording, or before the player is there. */
  onPlay: ((seconds: number) => void) | undefined
}

/** The place of the text on the page of its teaching. */
export const saidPlace = 'said'

/** The approved text of a teaching, to be read and printed. A press on a time plays from there. */
export function SaidText({ teaching, first, onPlay }: SaidTextProps) {
  const paragraphs = useParagraphs(teaching, first)
  if (!paragraphs) return null
  return (
    <section id={saidPlace} aria-labelledby="said-title" className="mt-12 border-t border-line pt-6">
      <h2 id="said-title" className="text-section">
        What was said
      </h2>
      {paragraphs.map(({ start, voice, text }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the paragraphs of one text
        <div key={at} className="mt-4 flex flex-wrap gap-x-4">
          <p className="w-16 shrink-0 text-small text-soft tabular-nums print:hidden">
            {start !== null && (
              <button
                type="button"
                disabled={!onPlay}
                aria-label={`Play from ${clockTime(start / 1000)}`}
                className="min-h-6 text-pine underline underline-offset-4"
                onClick={() => onPlay?.(start / 1000)}
              >
                {clockTime(start / 1000)}
              </button>
            )}
          </p>
          <p className="measure min-w-0 grow basis-64 wrap-anywhere">
            {voice !== '' && <b className="font-semibold">{voice}: </b>}
            {text}
          </p>
        </div>
      ))}
    </section>
  )
}

/** Of the rendered page, then of the device or the server. */
function useParagraphs(
  { uid, transcriptRev }: TeachingText,
  first: readonly Paragraph[] | undefined,
): readonly Paragraph[] | undefined {
  const [read, setRead] = useState<{ uid: string; paragraphs: readonly Paragraph[] }>()
  useEffect(() => {
    if (first || transcriptRev === null) return undefined
    let isCurrent = true
    const reading = import('./read-paragraphs.ts').then((part) => part.readParagraphs({ uid, transcriptRev }))
    reading.then(
      (paragraphs) => isCurrent && setRead({ uid, paragraphs }),
      // The page works without the text.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [first, uid, transcriptRev])
  return first ?? (transcriptRev !== null && read?.uid === uid ? read.paragraphs : undefined)
}
