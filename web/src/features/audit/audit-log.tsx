import type { AuditLine } from '@fellowship/schema/audit/audit.contract'
import { auditActions, auditTexts } from '@fellowship/schema/audit/audit.texts'
import { useState } from 'react'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAuditLog, type AuditQuery } from './audit.queries.ts'

/** The activity log with its filters, newest first. */
export function AuditLog() {
  const [filter, setFilter] = useState<AuditQuery>({ area: '', actor: '', q: '' })
  const log = useAuditLog(filter)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError } = log
  const first = data?.pages[0]
  const lines = data?.pages.flatMap((page) => page.lines) ?? []
  const filtered = Object.values(filter).some((value) => value !== '')
  return (
    <Section title="Activity" description="Who changed what, and when. Passwords are never written down.">
      <div className="mb-6 grid gap-4 sm:grid-cols-3">
        <Choice
          label="What"
          all="Everything"
          choices={first?.areas ?? []}
          value={filter.area}
          onChange={(area) => setFilter({ ...filter, area })}
        />
        <Choice
          label="Who"
          all="Everybody"
          choices={first?.actors ?? []}
          value={filter.actor}
          onChange={(actor) => setFilter({ ...filter, actor })}
        />
        <Field label="Search">
          {(control) => (
            <Input
              {...control}
              type="search"
              value={filter.q}
              onChange={(event) => setFilter({ ...filter, q: event.target.value })}
            />
          )}
        </Field>
      </div>
      {error && !data && <LoadFailure sentence={auditTexts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-64 w-full" />}
      {data && lines.length === 0 && <EmptyState title={filtered ? auditTexts.noneFound : auditTexts.none} />}
      {lines.length > 0 && <Lines lines={lines} />}
      {isFetchNextPageError && !isFetchingNextPage && (
        <p role="alert" className="mt-6 font-medium text-brick">
          {auditTexts.loadFailed}
        </p>
      )}
      {hasNextPage && (
        <Button
          kind="secondary"
          className="mt-6"
          pending={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show older lines
        </Button>
      )}
    </Section>
  )
}

interface ChoiceProps {
  label: string
  all: string
  choices: readonly string[]
  value: string
  onChange: (value: string) => void
}

function Choice({ label, all, choices, value, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{all}</option>
          {[...new Set([...choices, ...(value === '' ? [] : [value])])].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function Lines({ lines }: { lines: readonly AuditLine[] }) {
  return (
    <Card className="overflow-hidden">
      <ul aria-label="Activity, newest first" className="divide-y divide-line">
        {lines.map((line) => (
          <li key={line.id} className="admin-line flex flex-wrap gap-x-6 gap-y-1">
            <time dateTime={line.at} className="admin-moment shrink-0 text-small text-soft tabular-nums">
              {shownMoment(line.at)}
            </time>
            <div className="min-w-0 flex-1 basis-64">
              <p className="wrap-anywhere">
                <span className="font-medium">{line.actor}</span> {wordsOf(line.action)}
                {line.subject && <span className="font-medium"> {line.subject}</span>}
              </p>
              <Details details={line.details} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Details({ details }: Pick<AuditLine, 'details'>) {
  const shown = Object.entries(details).filter(([name]) => name !== 'id')
  if (shown.length === 0) return null
  return (
    <p className="text-small wrap-anywhere text-soft">
      {shown.map(([name, value]) => `${name}: ${plain(value)}`).join(' · ')}
    </p>
  )
}

const plain = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)

/** 'elder.photo_uploaded' → 'uploaded a photo for'; an action without a phrase is shown as 'area: words'. */
function wordsOf(action: string): string {
  const phrase = auditActions[action]
  if (phrase !== undefined) return phrase
  const [area = '', did = ''] = action.split('.')
  return did === '' ? area : `${area}: ${did.replaceAll('_', ' ')}`
}
