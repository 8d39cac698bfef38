import { audit, type AuditLine, auditLimits } from '@fellowship/schema/audit/audit.contract'
import { auditActions, auditTexts } from '@fellowship/schema/audit/audit.texts'
import { formatDate, isPlainDate } from '@fellowship/schema/dates'
import { call } from '@fellowship/sync/call/call'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { LoadFailure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

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

/** Lines of the activity log as sentences: time, person, action, and details. */
function AuditLines({ lines }: { lines: readonly AuditLine[] }) {
  return (
    <Card className="overflow-hidden">
      <ul aria-label="Activity, newest first" className="divide-y divide-line">
        {lines.map((line) => (
          <li key={line.id} className="admin-line flex flex-wrap gap-x-6 gap-y-1">
            <time dateTime={line.at} className="admin-moment shrink-0 text-small text-soft tabular-nums">
              {shownMoment(line.at)}
            </time>
            <div className="min-w-0 flex-1 basis-64">
              <p className="admin-sentence wrap-anywhere">
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
  const words = detailWords(details)
  return words === '' ? null : <p className="text-small wrap-anywhere text-soft">{words}</p>
}

/** 'elder.photo_uploaded' → 'uploaded a photo for'; an action without a phrase is shown as 'area: words'. */
function wordsOf(action: string): string {
  const phrase = auditActions[action]
  if (phrase !== undefined) return phrase
  const [area = '', did = ''] = action.split('.')
  return did === '' ? area : `${area}: ${did.replaceAll('_', ' ')}`
}

/** The filters of the log; '' matches everything. */
interface AuditQuery {
  area: string
  actor: string
  q: string
}

/** The log, newest first, page by page. The previous answer stays on the screen until the next one arrives. */
const useAuditLog = (filter: AuditQuery) =>
  useInfiniteQuery(
    {
      queryKey: [audit.list.path, filter] as const,
      queryFn: ({ pageParam, signal }) =>
        call(audit.list, {
          query: { ...chosen(filter), before: pageParam, limit: auditLimits.page },
          signal,
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ lines, more }) => (more ? lines.at(-1)?.id : undefined),
      placeholderData: keepPreviousData,
    },
    queryClient,
  )

const chosen = ({ area, actor, q }: AuditQuery) => ({
  area: area || undefined,
  actor: actor || undefined,
  q: q.trim() || undefined,
})

/** Identifiers for programs, left out of the line because it shows a title or a name. */
const identifiers = ['id', 'uid', 'teaching', 'sha256']

/** The details of a line of the activity log in words: 'speaker: Jane Doe · date: 8 November 2026'. */
export const detailWords = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .filter(([name, value]) => !identifiers.includes(name) && !(name === 'times' && value === 1))
    .map(([name, value]) => [spaced(name), valueWords(name, value)] as const)
    .filter(([, words]) => words !== '')
    .map(([name, words]) => `${name}: ${words}`)
    .join(' · ')

/** A list of changed fields is shown with the words of the forms. */
function valueWords(name: string, value: unknown): string {
  if (Array.isArray(value)) {
    const isOfFields = name === 'fields' || name === 'changed'
    return value.map((each) => (isOfFields ? spaced(String(each)) : plain(each))).join(', ')
  }
  if (typeof value !== 'string') return plain(value)
  if (isPlainDate(value)) return formatDate(value)
  return name.endsWith('At') && !Number.isNaN(Date.parse(value)) ? shownMoment(value) : value
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** 'forChildren' → 'for children' */
const spaced = (name: string) =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
