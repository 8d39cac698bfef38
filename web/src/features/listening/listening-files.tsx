import { type ListeningFile, parseListeningFile } from '@fellowship/schema/listening/listening-file'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { readAnonymous } from '@fellowship/sync/client/listening/anonymous.store'
import { readListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import {
  deleteListening,
  exportListening,
  importListening,
} from '@fellowship/sync/client/listening/listening-file.store'
import { Download, FileText, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { downloadFile } from '../../lib/download-file.ts'
import { forgetLeft } from '../../lib/left-moments.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'

/** Export and import of this device's listening as a file, and its deletion. */
export function ListeningFiles({ onDelete }: { onDelete: () => void }) {
  const { user } = useAuth()
  const keeping = useDeviceQuery(() => readListeningStatus(user?.id), [user?.id], undefined)
  const isKept = keeping?.account?.on === true
  const anonymous = useDeviceQuery(async () => (await readAnonymous()).length, [], 0)
  const input = useRef<HTMLInputElement>(null)
  const [outcome, setOutcome] = useState<{ words: string; failed?: boolean }>()
  const [asks, setAsks] = useState(false)
  const run = async (work: () => Promise<string | undefined>) => {
    setOutcome(undefined)
    try {
      const words = await work()
      if (words) setOutcome({ words })
    } catch (error) {
      setOutcome({ words: error instanceof Error ? error.message : String(error), failed: true })
    }
  }
  const remove = async () => {
    setAsks(false)
    onDelete()
    await run(async () => {
      await deleteAll()
      showToast({ title: listeningTexts.deleted })
      return undefined
    })
  }
  return (
    <>
      <div className="mt-2 flex flex-wrap gap-3">
        <Button icon={Download} kind="secondary" onClick={() => void run(() => exportFile('json'))}>
          Export
        </Button>
        <Button icon={FileText} kind="secondary" onClick={() => void run(() => exportFile('text'))}>
          Export as text
        </Button>
        <Button icon={Upload} kind="secondary" onClick={() => input.current?.click()}>
          Import
        </Button>
        {!isKept && (
          <Button icon={Trash2} kind="quiet" className="text-brick!" onClick={() => setAsks(true)}>
            Delete all of it from this device
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0]
          target.value = ''
          if (file) void run(() => importFile(file))
        }}
      />
      {isKept && <p className="mt-2 text-small text-soft">{listeningTexts.deleteFirst}</p>}
      <p role={outcome?.failed ? 'alert' : 'status'} className="mt-2 text-small text-soft">
        <span className={outcome?.failed ? 'text-brick' : undefined}>{outcome?.words}</span>
      </p>
      {asks && (
        <ConfirmDialog
          title={listeningTexts.deleteTitle}
          question={`${anonymous > 0 ? `${listeningTexts.anonymousToo(anonymous)} ` : ''}${listeningTexts.deleteQuestion}`}
          confirmLabel="Delete all of it"
          onConfirm={() => void remove()}
          onCancel={() => setAsks(false)}
        />
      )}
    </>
  )
}

/** Downloads a file with all listening data, for a later import or for reading. */
async function exportFile(kind: 'json' | 'text'): Promise<undefined> {
  const file = await exportListening()
  const day = file.exportedAt.slice(0, 10)
  const [words, type, name] =
    kind === 'json'
      ? [JSON.stringify(file, null, 1), 'application/json', `my-listening-${day}.json`]
      : [readable(file), 'text/plain;charset=utf-8', `my-listening-${day}.txt`]
  await downloadFile(name, new Blob([words], { type }))
  return undefined
}

/**
 * Merges a file into this device's listening data.
 *
 * @returns the result as a sentence
 * @throws Error with a sentence
 */
async function importFile(file: File): Promise<string> {
  const { positions, marks, notes, upNext } = await importListening(
    parseListeningFile(file.size > readableBytes ? '' : await file.text(), file.size),
  )
  return listeningTexts.imported(positions + marks + notes + upNext)
}

/** Files larger than this are rejected without being read. */
const readableBytes = 20_000_000

async function deleteAll(): Promise<void> {
  forgetLeft()
  await deleteListening()
}

/** The data as text with CRLF line ends, which every editor shows. */
function readable({ exportedAt, positions, marks, notes, upNext }: ListeningFile): string {
  const named = ({ title, speaker, date, uid }: ListeningFile['upNext'][number]) =>
    title === undefined ? `No longer in the library (${uid})` : `${withSpaces(title)}, ${speaker}, ${date}`
  const lists: [string, string[]][] = [
    ['Up next', upNext.map(named)],
    ['Favourites', marks.filter(({ favourite }) => favourite?.on).map(named)],
    [
      'Notes',
      notes.map(
        (note) =>
          `${named(note)}, at ${clockTime(note.seconds)}:\n    ${note.text.replaceAll('\n', '\n    ')}`,
      ),
    ],
    ['Heard', marks.filter(({ heard }) => heard?.on).map(named)],
    [
      'Places',
      positions.map(
        (place) => `${named(place)}: ${clockTime(place.seconds)} of ${clockTime(place.duration)}`,
      ),
    ],
  ]
  const parts = lists.map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
  return [`My listening, ${exportedAt}`, ...parts, ''].join('\n\n').replaceAll('\n', '\r\n')
}
