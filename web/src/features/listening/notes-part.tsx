import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { noteText, type ListeningNote } from '@fellowship/schema/listening/listening-note'
import { readNotes, writeNote, type NoteWords } from '@fellowship/sync/client/listening/notes.store'
import { NotebookPen } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { holdAndAsk } from '../../lib/busy.ts'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { NoteList } from './note-list.tsx'

interface NotesPartProps {
  uid: string
  /** The current position in seconds. */
  now: () => number
  onPlay: (seconds: number) => void
}

/** The notes about the open teaching, and a form for a new one at the current second. */
export function NotesPart({ uid, now, onPlay }: NotesPartProps) {
  const notes = useDeviceQuery(() => readNotes(uid), [uid], none)
  const [writing, setWriting] = useState<{ id?: string; seconds: number; text: string }>()
  return (
    <section aria-labelledby="notes-title" className="mt-6 border-t border-line pt-5">
      <h3 id="notes-title" className="text-lg">
        Notes
      </h3>
      <NoteList notes={notes} onPlay={onPlay} onEdit={setWriting} />
      {writing ? (
        <NoteForm key={writing.id} uid={uid} {...writing} onClose={() => setWriting(undefined)} />
      ) : (
        <Button
          icon={NotebookPen}
          kind="secondary"
          className="mt-2"
          onClick={() => setWriting({ seconds: Math.floor(now()), text: '' })}
        >
          Write a note
        </Button>
      )}
      <p className="mt-2 text-small text-soft">Notes stay on this device.</p>
    </section>
  )
}

const none: ListeningNote[] = []

interface NoteFormProps {
  id?: string
  uid: string
  seconds: number
  text: string
  onClose: () => void
}

/**
 * Only Cancel discards the text. If the form is unmounted otherwise, as when the next teaching plays or the large player
 * is closed, the note is saved.
 */
function NoteForm({ id, uid, seconds, text, onClose }: NoteFormProps) {
  const [words, setWords] = useState(text)
  const [problem, setProblem] = useState<string>()
  const unsaved = useRef<() => void>(undefined)
  const isWritten = words.trim() !== '' && words !== text
  useEffect(() => (isWritten ? holdAndAsk() : undefined), [isWritten])
  useEffect(() => {
    unsaved.current = isWritten ? () => void keep({ id, uid, seconds, text: words }) : undefined
  })
  useEffect(() => () => unsaved.current?.(), [])
  const close = () => {
    unsaved.current = undefined
    onClose()
  }
  const save = async () => {
    const checked = noteText.safeParse(words)
    if (!checked.success) return setProblem(checked.error.issues[0]?.message)
    // If the form is unmounted during the write, it does not save again; after a failure it does.
    unsaved.current = undefined
    try {
      await writeNote({ id, uid, seconds, text: checked.data })
      close()
    } catch {
      setProblem(listeningTexts.notKept.description)
    }
  }
  return (
    <form
      className="mt-2"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Field label={`Note at ${clockTime(seconds)}`} error={problem}>
        {(control) => (
          <Textarea
            {...control}
            // The user opened the form by a press, in order to write.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        )}
      </Field>
      <div className="mt-3 flex flex-wrap justify-end gap-3">
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
        <Button type="submit">Save note</Button>
      </div>
    </form>
  )
}

const keep = (note: NoteWords): Promise<void> =>
  writeNote(note).catch(() => showToast({ ...listeningTexts.notKept, kind: 'destructive' }))
