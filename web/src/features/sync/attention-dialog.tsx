import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ConflictChoice } from './conflict-choice.tsx'
import { resolveEntry, type OutboxEntry } from './outbox.device.ts'

/** Lists the outbox entries in conflict or rejected, with the reason and the actions for each. */
export function AttentionDialog({
  entries,
  onClose,
}: {
  entries: readonly OutboxEntry[]
  onClose: () => void
}) {
  return (
    <Dialog
      title={texts.attention(entries.length)}
      description="Nothing is lost: what you wrote is kept on this device until you decide."
      onClose={onClose}
    >
      <ul className="mt-5 flex flex-col divide-y divide-line">
        {entries.map((entry) => (
          <li key={entry.mutationId} className="py-5 first:pt-0 last:pb-0">
            <EntryItem entry={entry} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function EntryItem({ entry }: { entry: OutboxEntry }) {
  const [pending, setPending] = useState(false)
  const decide = (decision: Parameters<typeof resolveEntry>[1]) => {
    setPending(true)
    // After a failure the entry is unchanged, and the user can decide again.
    resolveEntry(entry, decision)
      .finally(() => setPending(false))
      .catch(() => undefined)
  }
  const { op, state } = entry
  const title = titleOf(entry)
  const isGone = entry.lastError?.code === 'not_found'
  return (
    <section aria-label={title}>
      <h3 className="text-lg">{title}</h3>
      <p className="mt-1 text-small text-soft">{reasonOf(entry)}</p>
      {state === 'conflict' && entry.current && op !== 'delete' ? (
        <ConflictChoice
          entry={entry}
          pending={pending}
          onDecided={decide}
          onDiscard={() => decide('discard')}
        />
      ) : (
        <div className="mt-3 flex flex-wrap gap-3">
          {state === 'conflict' ? (
            <Button kind="danger" pending={pending} onClick={() => decide('delete')}>
              Delete anyway
            </Button>
          ) : (
            !isGone && (
              <Button pending={pending} onClick={() => decide('again')}>
                Try again
              </Button>
            )
          )}
          <Button kind="secondary" disabled={pending} onClick={() => decide('discard')}>
            {op === 'delete' ? `Keep the ${entry.kind ?? 'teaching'}` : 'Discard my change'}
          </Button>
        </div>
      )}
    </section>
  )
}

const titleOf = (entry: OutboxEntry): string =>
  entry.kind === 'series'
    ? entry.title
    : shownTitle({ title: entry.title, scriptureReference: entry.base.scriptureReference })

function reasonOf({ kind, op, state, lastError }: OutboxEntry): string {
  const isOfSeries = kind === 'series'
  if (state === 'conflict') {
    if (op === 'delete') return isOfSeries ? seriesTexts.deleteConflict : texts.deleteConflict
    return isOfSeries ? seriesTexts.conflict : texts.conflict
  }
  if (lastError?.code === 'not_found') return isOfSeries ? seriesTexts.goneMeanwhile : texts.gone
  return texts.refused(lastError?.sentence ?? '')
}
