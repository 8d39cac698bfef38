import { formatDate } from '@fellowship/schema/dates'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePrefersSmall } from '../data-choices.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { recordingSizes } from '../recording-choice.ts'
import { savedCount } from './device-state.list.ts'
import { useSavedShelf } from './saved.ts'
import { SizeSelect } from './size-select.tsx'
import { noRoomSentence, recordingWords } from './saved-status.ts'
import { useWish } from './use-save-request.ts'

/** The recordings to remove, and the question's title. */
export interface Removal {
  title: string
  recordings: readonly SavedRecording[]
}

interface SavedListProps {
  /** Last played first. */
  recordings: readonly SavedRecording[]
  /** The library, for the other size of a saved recording. */
  rows: readonly ListedTeaching[]
  onRemove: (removal: Removal) => void
}

export function SavedList({ recordings, rows, onRemove }: SavedListProps) {
  const [shown, setShown] = useState(pageSize)
  const shelf = useSavedShelf()
  if (recordings.length === 0) return null
  return (
    <section aria-labelledby="on-device" className="mt-6 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h3 id="on-device" className="text-lg">
          On this device ({savedCount(shelf)})
        </h3>
        {recordings.length > 1 && (
          <Button
            kind="quiet"
            className="-mr-3 px-3! text-small! text-brick!"
            onClick={() => onRemove({ title: 'Remove all saved teaching?', recordings })}
          >
            Remove all
          </Button>
        )}
      </div>
      <ul className="mt-1">
        {recordings.slice(0, shown).map((recording) => (
          <Row
            key={recording.key}
            recording={recording}
            teaching={rows.find(({ uid }) => uid === recording.teachingUid)}
            onRemove={onRemove}
          />
        ))}
      </ul>
      {recordings.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + pageSize)}>
          Show more
        </Button>
      )}
    </section>
  )
}

const pageSize = 20

interface RowProps {
  recording: SavedRecording
  /** Undefined if the teaching has left the library. */
  teaching: ListedTeaching | undefined
  onRemove: SavedListProps['onRemove']
}

function Row({ recording, teaching, onRemove }: RowProps) {
  // A saved recording has no scripture reference to show.
  const title = withSpaces(recording.title) || formatDate(recording.date)
  const { wish, noRoom } = useWish()
  const shelf = useSavedShelf()
  const small = usePrefersSmall()
  const found = teaching && recordingSizes(teaching, shelf, small)
  // If both sizes are listed, only the row of the newer one has the choice.
  const sizes = found && (recording.replaces === undefined || !found.coming) ? found : undefined
  return (
    <li className="flex items-center gap-2 border-b border-line py-2 last:border-b-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{title}</p>
        <p className="text-small text-soft">
          {recording.speaker}, {formatDate(recording.date)}. <State recording={recording} />
        </p>
        <output className="block text-small text-brick">{noRoom && noRoomSentence}</output>
      </div>
      {recording.state === 'evicted' && (
        <IconButton
          label={`Save ${title} again`}
          icon={RefreshCw}
          onClick={() => void wish((device) => device.saveRecordings([teachingOf(recording)]))}
        />
      )}
      {teaching && sizes && <SizeSelect teaching={teaching} sizes={sizes} wish={wish} />}
      <IconButton
        kind="danger"
        label={`Remove ${title}`}
        icon={Trash2}
        onClick={() => onRemove({ title: `Remove “${title}”?`, recordings: [recording] })}
      />
    </li>
  )
}

function State({ recording }: { recording: SavedRecording }) {
  const { words, tone } = recordingWords(recording)
  return <span className={tone && { trouble: 'text-wheat-text', failed: 'text-brick' }[tone]}>{words}</span>
}

const teachingOf = ({ teachingUid, title, speaker, date, url, size, type }: SavedRecording) => ({
  uid: teachingUid,
  title,
  speaker,
  date,
  audioUrl: url,
  audioBytes: size,
  audioMime: type,
})
