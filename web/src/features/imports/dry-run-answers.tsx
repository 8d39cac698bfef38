import type { ImportAnswers, ImportReport } from '@fellowship/schema/imports/imports.contract'
import { importTexts } from '@fellowship/schema/imports/imports.texts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'

interface DryRunAnswersProps {
  report: ImportReport
  pending: boolean
  onConfirm: (answers: ImportAnswers) => void
  /** A table is read again with other columns or another order of dates. */
  onReadAgain: (answers: ImportAnswers) => void
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The questions of a dry run, above its items: dates, names and columns; then the confirmation. */
export function DryRunAnswers({ report, pending, onConfirm, onReadAgain }: DryRunAnswersProps) {
  const { facts, counts, items, options } = report
  const [shiftDays, setShift] = useState(options.shiftDays)
  const [speaker, setSpeaker] = useState(options.speaker)
  const [speakers, setSpeakers] = useState<Record<string, string>>(facts.alike)
  const [follow, setFollow] = useState(options.follow)
  const namesNone = items.filter(({ reason }) => reason === importTexts.noSpeaker).length
  const dated = facts.weekdays.flatMap((count, day) =>
    count > 0 ? [`${count} ${weekdays[day]}${count === 1 ? '' : 's'}`] : [],
  )
  const more = speaker.trim() === '' ? 0 : namesNone
  const written = Object.fromEntries(Object.entries(speakers).filter(([, name]) => name.trim() !== ''))
  return (
    <Card className="admin-box mt-4 grid gap-6">
      {facts.columns.length > 0 && <TableColumns report={report} onReadAgain={onReadAgain} />}
      <Field
        label="Dates"
        hint={`As dated there: ${dated.join(', ')}.${facts.shiftOffered === 0 ? '' : ' Most are one day beside your services; that comes from another time zone.'}`}
      >
        {(control) => (
          <Select {...control} value={shiftDays} onChange={(event) => setShift(Number(event.target.value))}>
            <option value={0}>As they are</option>
            <option value={1}>One day later{facts.shiftOffered === 1 ? ' (suggested)' : ''}</option>
            <option value={-1}>One day earlier{facts.shiftOffered === -1 ? ' (suggested)' : ''}</option>
          </Select>
        )}
      </Field>
      {namesNone > 0 && (
        <Field label="Speaker of items that name none" hint={`${namesNone} items name no speaker.`}>
          {(control) => (
            <Input {...control} value={speaker} onChange={(event) => setSpeaker(event.target.value)} />
          )}
        </Field>
      )}
      <Speakers facts={facts} chosen={speakers} onChange={setSpeakers} />
      {(report.kind === 'address' || report.kind === 'folder') && (
        <label className="flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            className="size-5 shrink-0 accent-pine"
            checked={follow}
            onChange={(event) => setFollow(event.target.checked)}
          />
          Look for new items every week, until the old site is switched off
        </label>
      )}
      <div>
        <Button
          pending={pending}
          disabled={counts.new + more === 0}
          onClick={() => onConfirm({ shiftDays, speaker: speaker.trim(), speakers: written, follow })}
        >
          Move {counts.new + more} teachings in
        </Button>
      </div>
    </Card>
  )
}

interface SpeakersProps {
  facts: ImportReport['facts']
  chosen: Record<string, string>
  onChange: (chosen: Record<string, string>) => void
}

/** Names of the source, each with the name to write; those that look like one person are filled in. */
function Speakers({ facts, chosen, onChange }: SpeakersProps) {
  const alike = Object.keys(facts.alike).length
  if (facts.speakers.length === 0) return null
  return (
    <details open={alike > 0}>
      <summary className="min-h-11 cursor-pointer font-medium">
        {facts.speakers.length === 1 ? '1 speaker' : `${facts.speakers.length} speakers`}
        {alike > 0 && `, ${alike} of them may be written in two ways`}
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {facts.speakers
          .toSorted((a, b) => Number(b.name in facts.alike) - Number(a.name in facts.alike))
          .slice(0, 60)
          .map(({ name, count }) => (
            <Field key={name} label={`${name} (${count})`}>
              {(control) => (
                <Input
                  {...control}
                  placeholder={name}
                  value={chosen[name] ?? ''}
                  onChange={(event) => onChange({ ...chosen, [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
      </div>
    </details>
  )
}

const columnFields: [field: string, label: string][] = [
  ['title', 'Title'],
  ['speaker', 'Speaker'],
  ['date', 'Date'],
  ['audio', 'Recording'],
  ['scripture', 'Scripture'],
  ['description', 'Description'],
  ['series', 'Series'],
  ['guid', 'Identity (GUID)'],
  ['page', 'Page at the old site'],
]

/** Which column holds which field, and the order of dates such as 03/04/2020. */
function TableColumns({ report, onReadAgain }: Pick<DryRunAnswersProps, 'report' | 'onReadAgain'>) {
  const { facts, options } = report
  const [columns, setColumns] = useState<Record<string, string>>(facts.guessed)
  const [order, setOrder] = useState(options.dateOrder ?? 'day')
  return (
    <fieldset>
      <legend className="mb-4 font-medium">Columns of the table</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {columnFields.map(([field, label]) => (
          <Field key={field} label={label}>
            {(control) => (
              <Select
                {...control}
                value={columns[field] ?? ''}
                onChange={(event) => setColumns({ ...columns, [field]: event.target.value })}
              >
                <option value="">None</option>
                {facts.columns.map((column) => (
                  <option key={column}>{column}</option>
                ))}
              </Select>
            )}
          </Field>
        ))}
        <Field label="Dates such as 03/04/2020" hint={facts.askDateOrder ? 'They fit both orders.' : ''}>
          {(control) => (
            <Select
              {...control}
              value={order}
              onChange={(event) => setOrder(event.target.value === 'month' ? 'month' : 'day')}
            >
              <option value="day">Day first: 3 April</option>
              <option value="month">Month first: 4 March</option>
            </Select>
          )}
        </Field>
      </div>
      <Button kind="secondary" className="mt-4" onClick={() => onReadAgain({ columns, dateOrder: order })}>
        Read it again
      </Button>
    </fieldset>
  )
}
