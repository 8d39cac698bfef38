import { chapterTitle, type Chapter, teachingStart } from '@fellowship/schema/chapters/chapters'
import { chapterTexts } from '@fellowship/schema/chapters/chapters.texts'
import { SkipForward } from 'lucide-react'
import { useId } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'

interface ChapterListProps {
  chapters: readonly Chapter[]
  /** The number of the chapter that plays; -1 for none. */
  current: number
  level?: 'h2' | 'h3' | undefined
  onPlay: (seconds: number) => void
}

/** The chapters of a recording, each with its time; a press plays from there. */
export function ChapterList({ chapters, current, level: Heading = 'h3', onPlay }: ChapterListProps) {
  const id = useId()
  if (chapters.length === 0) return null
  return (
    <section aria-labelledby={id} className="mt-6 border-t border-line pt-5">
      <Heading id={id} className="text-lg">
        Chapters
      </Heading>
      <ol className="mt-2">
        {chapters.map((chapter, at) => (
          <li key={chapter.seconds}>
            <button
              type="button"
              data-words="line"
              aria-current={at === current}
              onClick={() => onPlay(chapter.seconds)}
              className={classNames(
                'flex min-h-11 w-full items-baseline gap-4 rounded-card px-3 py-2.5 text-left hover:bg-pine-tint',
                at === current && 'bg-pine-tint font-medium text-pine',
              )}
            >
              {/* Wide enough for hours. */}
              <span className="w-14 shrink-0 text-small text-soft tabular-nums">
                {clockTime(chapter.seconds)}
              </span>
              <span className="min-w-0 wrap-anywhere">
                {chapterTitle(chapter)}
                {chapter.isTeaching && chapter.title !== '' && (
                  <span className="block text-small font-normal text-soft">{chapterTexts.teaching}</span>
                )}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface SkipToTeachingProps {
  chapters: readonly Chapter[]
  position: number
  onPlay: (seconds: number) => void
}

/** Offered until the teaching has begun. */
export function SkipToTeaching({ chapters, position, onPlay }: SkipToTeachingProps) {
  const start = teachingStart(chapters)
  if (start === undefined || position >= start) return null
  return (
    <Button kind="secondary" icon={SkipForward} onClick={() => onPlay(start)}>
      {chapterTexts.skip}
    </Button>
  )
}
