import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { noteText, type ListeningNote } from '@fellowship/schema/listening/listening-note'
import { readListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import { readNotes, writeNote, type NoteWords } from '@fellowship/sync/client/listening/notes.store'
import { NotebookPen } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { holdAndAsk } from '../../lib/busy.ts'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'
import { FormNotes } from '../../ui/form-notes.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { useHeldRow } from '../sync/held-row.device.ts'
import { whereNotesAreKept } from './listening-words.ts'
import { NoteList } from './note-list.tsx'

interface NotesPartProps {
  uid: string
  /** The level of its heading. */
  level?: 'h2' | 'h3'
  /** The current position in seconds. */
  now: () => number
  onPlay: (seconds: number) => void
}

/** The notes about the open teaching, and a form for a new one at the current second. */
export function NotesPart({ uid, level: Heading = 'h3', now, onPlay }: NotesPartProps) {
  const id = useId()
  const notes = useDeviceQuery(() => readNotes(uid), [uid], none)
  const { user } = useAuth()
  const keeping = useDeviceQuery(() => readListeningStatus(user?.id), [user?.id], undefined)
  const [writing, setWriting] = useState<Written>()
  const write = (note: Omit<Written, 'owner'>) => setWriting({ ...note, owner: keeping?.owner })
  return (
    <section aria-labelledby={id} className="mt-6 border-t border-line pt-5">
      <Heading id={id} className="text-lg">
        Notes
      </Heading>
      <NoteList
        notes={notes}
        onPlay={onPlay}
        onEdit={({ id, seconds, text }) => write({ id, seconds, text })}
      />
      {writing ? (
        <NoteForm
          key={writing.id}
          uid={uid}
          {...writing}
          now={notes.find(({ id }) => id === writing.id)?.text}
          onClose={() => setWriting(undefined)}
        />
      ) : (
        <Button
          icon={NotebookPen}
          kind="secondary"
          className="mt-2"
          onClick={() => write({ seconds: Math.floor(now()), text: '' })}
        >
          Write a note
        </Button>
      )}
      {keeping && <p className="mt-2 text-small text-soft">{whereNotesAreKept(keeping)}</p>}
    </section>
  )
}

const none: ListeningNote[] = []

/** A note as it is when its form opens. */
interface Written {
  id?: string
  seconds: number
  text: string
  /** The person whose listening is shown then. */
  owner: number | undefined
}

interface NoteFormProps extends Written {
  uid: string
  /** The words of the note as they are; undefined for a new one, or if it was removed. */
  now: string | undefined
  onClose: () => void
}

/**
 * Only Cancel discards the text. If the form is unmounted otherwise, as when the next teaching plays or the large player
 * is closed, the note is saved.
 */
function NoteForm({ id, uid, now, owner, onClose, ...shown }: NoteFormProps) {
  const { row, draft, close: end } = useHeldRow('note', id ?? `${uid} new`, shown, onClose)
  const { seconds, text } = row
  const [words, setWords] = useState(() => (draft.words['text'] as string | undefined) ?? text)
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const unsaved = useRef<() => void>(undefined)
  const noteOf = (entered: string): NoteWords => ({ id, uid, seconds, text: entered, seen: text, owner })
  const isWritten = words.trim() !== '' && words !== text
  useEffect(() => (isWritten ? holdAndAsk() : undefined), [isWritten])
  useEffect(() => {
    unsaved.current =
      isWritten && !isSaving ? () => void saveNote(noteOf(words)).then(draft.drop, sayNotKept) : undefined
  })
  useEffect(() => () => unsaved.current?.(), [])
  const write = (entered: string) => {
    setWords(entered)
    draft.keep(entered === text ? {} : { text: entered })
  }
  const discard = () => {
    draft.discard()
    setWords(shown.text)
  }
  const close = () => {
    unsaved.current = undefined
    end()
  }
  const save = async () => {
    const checked = noteText.safeParse(words)
    if (!checked.success) return setProblem(checked.error.issues[0]?.message)
    // If the form is unmounted during the write, it does not save again; after a failure it does.
    unsaved.current = undefined
    setSaving(true)
    try {
      await saveNote(noteOf(checked.data))
      close()
    } catch {
      setProblem(listeningTexts.notKept.description)
      setSaving(false)
    }
  }
  return (
    <form
      className="mt-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSaving) void save()
      }}
    >
      <FormNotes
        draft={{ ...draft, discard }}
        changed={now === undefined || now === text ? [] : [{ label: 'Note', now }]}
      />
      <Field label={`Note at ${clockTime(seconds)}`} error={problem}>
        {(control) => (
          <Textarea
            {...control}
            // The user opened the form by a press, in order to write.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={words}
            onChange={({ target }) => write(target.value)}
          />
        )}
      </Field>
      <div className="mt-3 flex flex-wrap justify-end gap-3">
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" pending={isSaving}>
          Save note
        </Button>
      </div>
    </form>
  )
}

async function saveNote(note: NoteWords): Promise<void> {
  if (await writeNote(note)) showToast(listeningTexts.noteBeside)
}

const sayNotKept = () => showToast({ ...listeningTexts.notKept, kind: 'destructive' })
