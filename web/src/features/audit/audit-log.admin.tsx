import { auditTexts } from '@fellowship/schema/audit/audit.texts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AuditLines } from './audit-lines.tsx'
import { useAuditLog, type AuditQuery } from './audit-queries.admin.ts'

/** The activity log, newest first, with its filters. */
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
      {lines.length > 0 && <AuditLines lines={lines} />}
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
