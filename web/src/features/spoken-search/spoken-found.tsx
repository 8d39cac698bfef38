import { formatDate } from '@fellowship/schema/dates'
import { spokenLimits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import { spokenTexts } from '@fellowship/schema/spoken-search/spoken-search.texts'
import type { FoundSentence, MarkedSentence } from '@fellowship/schema/spoken-search/spoken-sentences'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { Play } from 'lucide-react'
import { memo, startTransition, type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { clockTime, spokenTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { useKeepsIndex } from './keeps-index.ts'
import { type SpokenResults, usePreparedIndex, useSpokenSearch } from './use-spoken-search.ts'
import './spoken-found.css'

export interface SpokenFoundProps {
  /** As typed. */
  query: string
  /** The teachings that may be shown. */
  rows: readonly ListedTeaching[]
  /** The title of a teaching as a link to its page. */
  link: (teaching: ListedTeaching) => ReactNode
  onPlay: (teaching: ListedTeaching, seconds: number) => void
}

/** The teachings in which the words of a search were said, with their sentences. */
export function SpokenFound({ query, rows, link, onPlay }: SpokenFoundProps) {
  const known = useDeferredValue(rows)
  // Most churches have no texts: then nothing is searched or asked for.
  const byUid = useMemo(
    () => new Map(known.flatMap((row) => (typeof row.transcriptRev === 'number' ? [[row.uid, row]] : []))),
    [known],
  )
  const stored = useKeepsIndex()
  usePreparedIndex(stored && byUid.size > 0)
  const results = useSpokenSearch(byUid.size > 0 ? query.trim() : '', stored)
  return (
    results && <Results key={results.query} results={results} byUid={byUid} link={link} onPlay={onPlay} />
  )
}

interface ResultsProps extends Pick<SpokenFoundProps, 'link' | 'onPlay'> {
  results: SpokenResults
  byUid: ReadonlyMap<string, ListedTeaching>
}

/** Does not render again at a keystroke, before it has other results. */
const Results = memo(function Results({ results, byUid, link, onPlay }: ResultsProps) {
  const [shown, setShown] = useState(shownAtFirst)
  const { found, sentences } = useFound(results, byUid, shown)
  if (found.length === 0) return null
  return (
    <section aria-labelledby="said-title" className="said">
      <h3 id="said-title" className="text-xl">
        {spokenTexts.heading(found.length)}
      </h3>
      <ul className="said-list">
        {found.slice(0, shown).map((teaching) => (
          <li key={teaching.uid} className="said-teaching">
            <h4 className="said-title">{link(teaching)}</h4>
            <p className="dotted text-small text-soft">
              <time dateTime={teaching.date}>{formatDate(teaching.date)}</time>{' '}
              <span>{teaching.speaker}</span>
            </p>
            {sentences.has(teaching.uid) && !sentences.get(teaching.uid) && (
              <p className="mt-1 text-small text-wheat-text">{spokenTexts.notHere}</p>
            )}
            <Sentences
              sentences={sentences.get(teaching.uid)}
              title={shownTitle(teaching)}
              onPlay={teaching.audioUrl ? (seconds) => onPlay(teaching, seconds) : undefined}
            />
          </li>
        ))}
      </ul>
      {shown < found.length && (
        <div className="mt-3 text-center">
          <Button kind="quiet" onClick={() => setShown(shown + shownAtFirst)}>
            {spokenTexts.more}
          </Button>
        </div>
      )}
    </section>
  )
})

const shownAtFirst = 5

/** A teaching is in the map when its text was read, or could not be. */
type SentencesByUid = ReadonlyMap<string, readonly FoundSentence[] | undefined>

/** The teachings found, and the sentences of those that are shown. */
function useFound(
  results: SpokenResults,
  byUid: ReadonlyMap<string, ListedTeaching>,
  shown: number,
): { found: readonly ListedTeaching[]; sentences: SentencesByUid } {
  const [sentences, setSentences] = useState<SentencesByUid>(new Map())
  const found = useMemo(
    () =>
      results.uids.flatMap((uid) => {
        // The words of a quotation are somewhere in this text, but not in a row.
        if (results.isQuoted && sentences.get(uid)?.length === 0) return []
        return byUid.get(uid) ?? []
      }),
    [results, byUid, sentences],
  )
  useEffect(() => {
    const unread = found.slice(0, shown).flatMap(({ uid }) => (sentences.has(uid) ? [] : [uid]))
    if (unread.length === 0) return undefined
    let isOver = false
    void results.sentencesOf(unread).then((read) => {
      if (isOver) return
      const added = unread.map((uid, at) => [uid, read[at]] as const)
      startTransition(() => setSentences((before) => new Map([...before, ...added])))
    })
    return () => void (isOver = true)
  }, [results, found, sentences, shown])
  return { found, sentences }
}

interface SentencesProps {
  sentences: readonly FoundSentence[] | undefined
  title: string
  /** Undefined if the teaching has no recording. */
  onPlay: ((seconds: number) => void) | undefined
}

function Sentences({ sentences = [], title, onPlay }: SentencesProps) {
  return sentences.map((sentence) => {
    const seconds = sentence.start === null ? undefined : sentence.start / 1000
    const words = (
      <span className="said-words">
        <Context sentence={sentence.before} /> <Marked sentence={sentence} />{' '}
        <Context sentence={sentence.after} />
      </span>
    )
    if (seconds === undefined || !onPlay)
      return (
        <p key={sentence.at} className="said-line">
          {words}
        </p>
      )
    return (
      <button
        key={sentence.at}
        type="button"
        aria-label={`Play ${title} from ${spokenTime(seconds)}: ${sentence.text}`}
        onClick={() => onPlay(Math.max(0, seconds - spokenLimits.leadSeconds))}
        className="said-line said-press"
      >
        <span className="said-time">
          <Play className="size-4 fill-current" />
          {clockTime(seconds)}
        </span>
        {words}
      </button>
    )
  })
}

const Context = ({ sentence }: { sentence: MarkedSentence | null }) =>
  sentence && (
    <span className="said-context">
      <Marked sentence={sentence} />
    </span>
  )

const Marked = ({ sentence: { text, marks } }: { sentence: MarkedSentence }) => (
  <>
    {marks.map(([from, to], at) => [
      text.slice(marks[at - 1]?.[1] ?? 0, from),
      <mark key={from}>{text.slice(from, to)}</mark>,
    ])}
    {text.slice(marks.at(-1)?.[1] ?? 0)}
  </>
)
