import type { CopyStatus } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { useId } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useChangeCopies, useRetryCopies, type useCopies } from './system-queries.admin.ts'

export function SmallCopies({ query }: { query: ReturnType<typeof useCopies> }) {
  const { data } = query
  const change = useChangeCopies()
  const retry = useRetryCopies()
  return (
    <Section
      title="Small copies"
      actions={
        data && (
          <Button
            kind="secondary"
            pending={change.isPending}
            onClick={() => change.mutate({ paused: !data.paused })}
          >
            {data.paused ? 'Continue small copies' : 'Pause small copies'}
          </Button>
        )
      }
    >
      <Loaded query={query} failure={copyTexts.loadFailed} height="h-24">
        {(status) => (
          <Card className="admin-box">
            <p>{progressOf(status)}</p>
            <InBackups
              on={change.isPending ? (change.variables.inBackups ?? status.inBackups) : status.inBackups}
              copyBytes={status.copyBytes}
              onChange={(inBackups) => change.mutate({ inBackups })}
            />
            {status.failed.length > 0 && (
              <>
                <Named title="No copy could be made of" rows={status.failed} sayOf={({ why }) => why} />
                <Button
                  kind="secondary"
                  className="mt-3"
                  pending={retry.isPending}
                  onClick={() => retry.mutate()}
                >
                  Try these again
                </Button>
              </>
            )}
            {status.faulty.length > 0 && (
              <Named
                title="Recordings with sound problems"
                rows={status.faulty}
                sayOf={({ faults }) => faults.map((fault) => copyTexts.faults[fault]).join(' ')}
              />
            )}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

function InBackups({
  on,
  copyBytes,
  onChange,
}: {
  on: boolean
  copyBytes: number
  onChange: (on: boolean) => void
}) {
  const hint = useId()
  return (
    <>
      <label className="mt-3 flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          checked={on}
          aria-describedby={hint}
          onChange={({ target }) => onChange(target.checked)}
          className="size-5 shrink-0 accent-pine"
        />
        {copyTexts.inBackups}
      </label>
      <p id={hint} className="text-small text-soft">
        {copyTexts.inBackupsHint(fileSize(copyBytes))}
      </p>
    </>
  )
}

function Named<Row extends CopyStatus['failed' | 'faulty'][number]>({
  title,
  rows,
  sayOf,
}: {
  title: string
  rows: readonly Row[]
  sayOf: (row: Row) => string
}) {
  return (
    <>
      <h3 className="mt-5 text-lg">{title}</h3>
      <ul className="mt-2 divide-y divide-line">
        {rows.map((row) => (
          <li key={row.id} className="py-2 wrap-anywhere">
            {nameOfTeaching(row)}
            <span className="block text-small text-soft">{sayOf(row)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function progressOf({ paused, total, done, copies, copyBytes, originalBytes }: CopyStatus): string {
  const state = paused ? ' They are paused.' : ''
  if (copies === 0) return `${done} of ${total} recordings done.${state}`
  const saved = `${copies} ${copies === 1 ? 'has' : 'have'} a small copy: ${fileSize(copyBytes)} in place of ${fileSize(originalBytes)}.`
  return `${done} of ${total} recordings done; ${saved}${state}`
}
