import type { SoundNote } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { counted } from '@fellowship/schema/counted'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Scissors, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { useSoundNotes, useTrim, useUntrim } from './copies.queries.ts'
import { latestSoundWords } from './sound-words.ts'

interface SoundNotesProps {
  /** The last uploaded teaching of this page. */
  latest: Teaching | undefined
  /** Hidden when the upload panel is closed, unless there is a latest upload. */
  open: boolean
}

/** For uploaders: the sound of the latest upload, and recordings with sound problems or that were trimmed. */
export function SoundNotes({ latest, open }: SoundNotesProps) {
  const { data, isAnswered } = useSoundOf(latest?.uid)
  if (!data) return null
  const { notes } = data
  const ofLatest = notes.find(({ uid }) => uid === latest?.uid)
  const others = notes.filter((note) => note !== ofLatest)
  if (!latest && others.length === 0) return null
  return (
    <section
      aria-labelledby="sound-title"
      data-upload=""
      hidden={!open && !latest}
      className="mt-6 max-lg:mt-0 max-lg:mb-6"
    >
      <Card className="p-[min(1.5rem,7.5vw)] max-sm:mx-[max(-.75rem,-4vw)]">
        <h2 id="sound-title" className="text-xl">
          How recordings sound
        </h2>
        {latest && (
          <div className="mt-2">
            <output className="block text-small text-soft">
              {ofLatest ? '' : latestSoundWords(latest, isAnswered ? data : undefined)}
            </output>
            {ofLatest && <Note note={ofLatest} />}
          </div>
        )}
        <Others notes={others} />
      </Card>
    </section>
  )
}

/** The sound notes, and whether they were requested after this upload; requested again until they were. */
function useSoundOf(uid: string | undefined) {
  const { data, refetch } = useSoundNotes()
  const [answered, setAnswered] = useState<string>()
  useEffect(() => {
    if (uid === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const ask = async () => {
      const { isSuccess } = await refetch()
      if (isOver) return
      if (isSuccess) setAnswered(uid)
      else timer = setTimeout(() => void ask(), askAgainMs)
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [uid, refetch])
  return { data, isAnswered: answered === uid }
}

const askAgainMs = 15_000

function Others({ notes }: { notes: readonly SoundNote[] }) {
  const [shown, setShown] = useState(pageSize)
  if (notes.length === 0) return null
  return (
    <details className="mt-3">
      <summary className="min-h-6 text-small font-medium text-pine">
        {counted(notes.length, 'recording')} to look at
      </summary>
      <ul className="mt-2 divide-y divide-line">
        {notes.slice(0, shown).map((note) => (
          <li key={note.uid} className="py-3">
            <Note note={note} />
          </li>
        ))}
      </ul>
      {notes.length > shown && (
        <Button kind="quiet" className="-ml-5 text-small" onClick={() => setShown(shown + pageSize)}>
          Show more
        </Button>
      )}
    </details>
  )
}

const pageSize = 5

function Note({ note }: { note: SoundNote }) {
  const trim = useTrim()
  const untrim = useUntrim()
  const name = nameOfTeaching(note)
  return (
    <>
      <p className="font-medium wrap-anywhere">{name}</p>
      {note.faults.map((fault) => (
        <p key={fault} className="text-small text-wheat-text">
          {copyTexts.faults[fault]}
        </p>
      ))}
      {note.trim && (
        <>
          <p className="text-small text-soft">{copyTexts.canTrim(note.trim)}</p>
          <Button
            kind="secondary"
            className="mt-2 text-small"
            aria-label={`Trim it: ${name}`}
            pending={trim.isPending}
            pendingLabel="Trimming..."
            onClick={() => trim.mutate(note)}
          >
            <Scissors className="size-4" />
            Trim it
          </Button>
        </>
      )}
      {note.untouched && (
        <>
          <p className="text-small text-soft">
            {copyTexts.wasTrimmed(note.untouched.duration, fileSize(note.untouched.bytes))}
          </p>
          <Button
            kind="secondary"
            className="mt-2 text-small"
            aria-label={`Restore the original: ${name}`}
            pending={untrim.isPending}
            pendingLabel="Restoring..."
            onClick={() => untrim.mutate(note)}
          >
            <Undo2 className="size-4" />
            Restore the original
          </Button>
        </>
      )}
    </>
  )
}
