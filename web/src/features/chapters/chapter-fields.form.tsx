import {
  inOrderOfTime,
  typedChapters,
  typedText,
  type TypedChapter,
} from '@fellowship/schema/chapters/chapters'
import { chapterLimits } from '@fellowship/schema/chapters/chapters.limits'
import { chapterTexts } from '@fellowship/schema/chapters/chapters.texts'
import { Plus, Trash2 } from 'lucide-react'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import './chapters.css'

export interface ChapterFieldsProps {
  /** The chapters as text, right or not. */
  value: string
  error?: string | undefined
  onChange: (text: string) => void
  /** The second that plays, for a new chapter; undefined if the teaching is not open. */
  now?: () => number | undefined
}

/** Chapters as a list of times and titles; at one of them the teaching starts. */
export function ChapterFields({ value, error, onChange, now = () => undefined }: ChapterFieldsProps) {
  const chapters = typedChapters(value)
  const write = (changed: readonly TypedChapter[]) => onChange(typedText(changed))
  const change = (at: number, fields: Partial<TypedChapter>) =>
    write(chapters.map((chapter, each) => (each === at ? { ...chapter, ...fields } : chapter)))
  const add = () => {
    const seconds = now()
    const time = seconds === undefined ? (chapters.length === 0 ? '0:00' : '') : clockTime(seconds)
    write(inOrderOfTime([...chapters, { time, title: '', isTeaching: false }]))
  }
  return (
    <fieldset>
      <legend className="text-small font-medium">
        Chapters <span className="font-normal text-soft">(optional)</span>
      </legend>
      <ol className="mt-1.5 flex flex-col gap-4">
        {chapters.map((chapter, at) => (
          // Its place is all that a line is known by while it is typed.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="chapter-line">
            <div className="chapter-time">
              <Input
                aria-label={`Time of chapter ${at + 1}`}
                placeholder="12:30"
                inputMode="text"
                value={chapter.time}
                onChange={(event) => change(at, { time: event.target.value.replaceAll(/\s/g, '') })}
                onBlur={() => write(inOrderOfTime(chapters))}
              />
            </div>
            <div className="chapter-title">
              <Input
                aria-label={`Title of chapter ${at + 1}`}
                maxLength={chapterLimits.title}
                value={chapter.title}
                onChange={(event) => change(at, { title: event.target.value })}
              />
            </div>
            <IconButton
              kind="danger"
              className="chapter-removal"
              label={`Remove chapter ${at + 1}`}
              icon={Trash2}
              onClick={() => write(chapters.filter((_, each) => each !== at))}
            />
            <label className="chapter-teaching flex min-h-11 items-center gap-3 text-small">
              <input
                type="checkbox"
                className="size-5 shrink-0 accent-pine"
                checked={chapter.isTeaching}
                onChange={({ target }) =>
                  write(
                    chapters.map((each, place) => ({ ...each, isTeaching: target.checked && place === at })),
                  )
                }
              />
              {chapterTexts.teaching}
            </label>
          </li>
        ))}
      </ol>
      {error !== undefined && (
        <p role="alert" className="mt-2 text-small font-medium text-brick">
          {error}
        </p>
      )}
      <Button kind="secondary" icon={Plus} className="mt-2" onClick={add}>
        Add a chapter
      </Button>
    </fieldset>
  )
}
