import { formatDate } from '@fellowship/schema/dates'
import type { ImportReport, Verdict } from '@fellowship/schema/imports/imports.contract'
import { useState } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Field, Select } from '../../ui/field.tsx'

type Item = ImportReport['items'][number]

const verdicts: Record<Verdict, { label: string; tone: Tone }> = {
  new: { label: 'New', tone: 'pine' },
  same: { label: 'In the library', tone: 'plain' },
  changed: { label: 'Changed there', tone: 'wheat' },
  unreadable: { label: 'Cannot be read', tone: 'brick' },
  too_large: { label: 'Too large', tone: 'brick' },
  no_audio: { label: 'No recording', tone: 'brick' },
}
const outcomes: Record<NonNullable<Item['outcome']>, { label: string; tone: Tone }> = {
  imported: { label: 'Moved in', tone: 'leaf' },
  same: { label: 'In the library', tone: 'plain' },
  failed: { label: 'Failed', tone: 'brick' },
  undone: { label: 'Undone', tone: 'plain' },
}
const shownAs = ({ verdict, outcome }: Item) => (outcome ? outcomes[outcome] : verdicts[verdict])

/** Rows that are shown at first, and added by the button: a thousand would make the page slow. */
const rowsAtOnce = 50

/** Every item of an import with its verdict, or its outcome, filtered by it. */
export function ImportItems({ items }: Pick<ImportReport, 'items'>) {
  const [wanted, setWanted] = useState('')
  const [rows, setRows] = useState(rowsAtOnce)
  const counts = new Map<string, number>()
  for (const item of items) counts.set(shownAs(item).label, (counts.get(shownAs(item).label) ?? 0) + 1)
  const matching = wanted === '' ? items : items.filter((item) => shownAs(item).label === wanted)
  return (
    <div className="mt-6">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-4">
        <Field label="Show">
          {(control) => (
            <Select
              {...control}
              value={wanted}
              onChange={(event) => {
                setWanted(event.target.value)
                setRows(rowsAtOnce)
              }}
            >
              <option value="">All {items.length} items</option>
              {[...counts].map(([label, count]) => (
                <option key={label} value={label}>
                  {label} ({count})
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button kind="secondary" onClick={() => void download(items)}>
          Download report
        </Button>
      </div>
      <Card className="overflow-hidden">
        <ul aria-label="Items of the import, oldest first" className="divide-y divide-line">
          {matching.slice(0, rows).map((item) => (
            <ItemLine key={item.guid} item={item} />
          ))}
        </ul>
      </Card>
      {matching.length > rows && (
        <Button kind="secondary" className="mt-6" onClick={() => setRows(rows + rowsAtOnce)}>
          Show {Math.min(rowsAtOnce, matching.length - rows)} more of {matching.length}
        </Button>
      )}
    </div>
  )
}

function ItemLine({ item }: { item: Item }) {
  const { title, speaker, date, scripture, reason } = item
  const { label, tone } = shownAs(item)
  const about = [speaker, scripture].filter((text) => text !== '').join(', ')
  return (
    <li className="admin-line flex flex-wrap gap-x-6 gap-y-1">
      <p className="admin-moment shrink-0 text-small text-soft tabular-nums">
        {date === '' ? 'No date' : formatDate(date)}
      </p>
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium wrap-anywhere">{title || scripture || 'Without a title'}</p>
        {about !== '' && <p className="text-small wrap-anywhere text-soft">{about}</p>}
        {reason !== '' && <p className="text-small wrap-anywhere text-soft">{reason}</p>}
      </div>
      <div>
        <Badge tone={tone}>{label}</Badge>
      </div>
    </li>
  )
}

async function download(items: readonly Item[]): Promise<void> {
  // Pages of the library download files too, without the administration.
  const { downloadFile } = await import('../../lib/download-file.ts')
  await downloadFile('import-report.csv', new Blob([reportOf(items)], { type: 'text/csv' }))
}

/** The report to keep, as a table. A formula of a spreadsheet is written as text. */
export function reportOf(items: readonly Item[]): string {
  const cell = (text: string) => `"${text.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"`
  const head = [
    'date',
    'title',
    'speaker',
    'scripture',
    'series',
    'guid',
    'verdict',
    'outcome',
    'reason',
    'teaching',
  ]
  const rows = items.map((item) => [
    item.date,
    item.title,
    item.speaker,
    item.scripture,
    item.series,
    item.guid,
    item.verdict,
    item.outcome ?? '',
    item.reason,
    item.teaching ?? '',
  ])
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
