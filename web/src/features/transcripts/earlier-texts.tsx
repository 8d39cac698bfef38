import { counted } from '@fellowship/schema/counted'
import { type EarlierText, transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import type { EditedText } from './edited-text.queries.ts'

interface EarlierTextsProps {
  /** The number of the teaching. */
  id: number
  text: EditedText
  /** Called after a restore, successful or not: the notice of the text has the result. */
  onAnswered: () => void
}

/** The earlier versions of a text, loaded when they are unfolded. */
export function EarlierTexts(props: EarlierTextsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="mt-4 border-t border-line pt-4"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="min-h-11 cursor-pointer text-pine">Earlier versions</summary>
      {isOpen && <Versions {...props} />}
    </details>
  )
}

function Versions({ id, text, onAnswered }: EarlierTextsProps) {
  const query = useEarlier(id, `${text.version} ${text.isDraft}`)
  const [asked, setAsked] = useState<EarlierText>()
  const restore = async ({ version }: EarlierText) => {
    await text.restore(version)
    setAsked(undefined)
    onAnswered()
  }
  return (
    <div className="max-w-3xl">
      <Loaded query={query} failure={texts.earlierFailed} height="h-24">
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-small text-soft">{texts.noEarlier}</p>
          ) : (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <Version key={row.version} row={row} disabled={text.isBusy} onRestore={() => setAsked(row)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked && (
        <ConfirmDialog
          title="Restore this version"
          question={texts.restoreQuestion({
            moment: shownMoment(asked.savedAt),
            by: asked.savedBy,
            isDraft: text.isDraft,
            isChanged: text.isChanged,
          })}
          confirmLabel="Restore"
          pending={text.isBusy}
          pendingLabel="Restoring..."
          onConfirm={() => void restore(asked)}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

interface VersionProps {
  row: EarlierText
  disabled: boolean
  onRestore: () => void
}

function Version({ row, disabled, onRestore }: VersionProps) {
  const { savedAt, savedBy, sentences, firstWords, state } = row
  const moment = shownMoment(savedAt)
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 grow basis-64">
        <p className="line-clamp-2 wrap-anywhere">{firstWords}</p>
        <p className="dotted mt-1 text-small wrap-anywhere text-soft">
          <time dateTime={savedAt}>{moment}</time> <span>{savedBy}</span>{' '}
          <span>{counted(sentences, 'sentence')}</span> {state === 'approved' && <span>was approved</span>}
        </p>
      </div>
      <Button
        kind="secondary"
        icon={Undo2}
        aria-label={`Restore the version of ${moment}: ${firstWords}`}
        disabled={disabled}
        onClick={onRestore}
      >
        Restore
      </Button>
    </li>
  )
}

/** Read again when the text has changed; if that fails, the list stays as it was. */
function useEarlier(id: number, changed: string) {
  const [{ data, error }, setState] = useState<{ data?: readonly EarlierText[]; error?: unknown }>({})
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    readEarlier(id).then(
      (rows) => isCurrent && setState({ data: rows }),
      (failure: unknown) => isCurrent && setState((before) => ({ ...before, error: failure })),
    )
    return () => {
      isCurrent = false
    }
  }, [id, changed, tries])
  return { data, error, refetch: () => setTries(tries + 1) }
}

async function readEarlier(id: number): Promise<readonly EarlierText[]> {
  try {
    return (await call(transcripts.read, { params: { id } })).earlier
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return []
    throw error
  }
}
