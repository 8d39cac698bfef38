import { seriesLabels, seriesTextOf } from '@fellowship/schema/series/series-words'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { teachingWords, textOf, wordNames } from '@fellowship/schema/teachings/teaching-words'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type Side, SideChoice } from '../../ui/side-choice.tsx'
import { type Decided, isSame, type OutboxEntry, resolveEntry, useTeachingTitles } from './outbox.device.ts'
import { shownWord } from './shown-words.device.ts'

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

interface ConflictChoiceProps {
  /** An entry in conflict, with the server's row. */
  entry: OutboxEntry
  pending: boolean
  onDecided: (text: Decided) => void
  onDiscard: () => void
}

type Word = Decided[string]

/** Mine or theirs, field by field; no side is preselected. */
function ConflictChoice({ entry, pending, onDecided, onDiscard }: ConflictChoiceProps) {
  const { theirs, fields } = standing(entry)
  const mine: Decided = { ...theirs, ...entry.patch }
  const titles = useTeachingTitles([mine['teachings'], theirs['teachings']].flatMap((uids) => uids ?? []))
  const differing = fields.filter(({ name }) => !isSame(mine[name], theirs[name]))
  const [chosen, setChosen] = useState<Record<string, Side>>({})
  const complete = differing.every(({ name }) => chosen[name] !== undefined)
  const decide = () => {
    const decided: Record<string, Word> = { ...theirs }
    for (const { name } of differing) if (chosen[name] === 'mine') decided[name] = mine[name]
    onDecided(decided)
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      {differing.map(({ name, label }) => (
        <SideChoice
          key={name}
          label={label}
          sides={{ mine: shownWord(name, mine[name], titles), theirs: shownWord(name, theirs[name], titles) }}
          chosen={chosen[name]}
          onChoose={(side) => setChosen((before) => ({ ...before, [name]: side }))}
        />
      ))}
      <div className="flex flex-wrap gap-3">
        <Button disabled={!complete} pending={pending} onClick={decide}>
          Save
        </Button>
        <Button kind="secondary" disabled={pending} onClick={onDiscard}>
          Discard my change
        </Button>
      </div>
    </div>
  )
}

/** The server's row, and the fields that a form shows for it. */
function standing(entry: OutboxEntry): { theirs: Decided; fields: { name: string; label: string }[] } {
  if (entry.kind === 'series') {
    return { theirs: entry.current ? seriesTextOf(entry.current) : {}, fields: seriesLabels }
  }
  const fields = wordNames.map((name) => ({ name, label: teachingWords[name].label }))
  return { theirs: entry.current ? textOf(entry.current) : {}, fields }
}
