import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import { removeNote, writeNote } from '@fellowship/sync/client/listening/notes.store'
import { Pencil, Trash2 } from 'lucide-react'
import { clockTime } from '../../lib/clock-time.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'

interface NoteListProps {
  notes: readonly ListeningNote[]
  onPlay: (seconds: number) => void
  /** Omitted if notes are read-only. */
  onEdit?: (note: ListeningNote) => void
}

/** Notes with their second; a press plays from there. */
export function NoteList({ notes, onPlay, onEdit }: NoteListProps) {
  if (notes.length === 0) return null
  return (
    <ul className="mt-2">
      {notes.map((note) => (
        <li key={note.id} className="flex items-start gap-2 border-b border-line py-2 last:border-b-0">
          <div className="min-w-0 grow">
            <button
              type="button"
              onClick={() => onPlay(note.seconds)}
              className="min-h-11 rounded-card px-1 text-small font-medium text-pine underline decoration-line-strong underline-offset-4 hover:decoration-pine"
            >
              <span className="sr-only">Play from the note </span>at {clockTime(note.seconds)}
            </button>
            <p className="text-base whitespace-pre-line wrap-anywhere">{note.text}</p>
          </div>
          {onEdit && (
            <IconButton
              label={`Edit the note at ${clockTime(note.seconds)}`}
              icon={Pencil}
              onClick={() => onEdit(note)}
            />
          )}
          <IconButton
            kind="danger"
            label={`Remove the note at ${clockTime(note.seconds)}`}
            icon={Trash2}
            onClick={() => void remove(note.id)}
          />
        </li>
      ))}
    </ul>
  )
}

async function remove(id: string): Promise<void> {
  try {
    const note = await removeNote(id)
    if (!note) return
    const onPress = () => void writeNote(note).catch(sayNotKept)
    showToast({ title: listeningTexts.noteRemoved, action: { label: 'Undo', onPress } })
  } catch {
    sayNotKept()
  }
}

const sayNotKept = () => showToast({ ...listeningTexts.notKept, kind: 'destructive' })
