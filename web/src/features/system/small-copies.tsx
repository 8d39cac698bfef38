import type { CopyStatus } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useCopies, usePauseCopies, useRetryCopies } from './system.queries.ts'

/** How far the small copies are, those that failed, and the recordings that sound wrong. */
export function SmallCopies() {
  const { data, error, refetch } = useCopies()
  const pause = usePauseCopies()
  const retry = useRetryCopies()
  return (
    <Section
      title="Small copies"
      actions={
        data && (
          <Button kind="secondary" pending={pause.isPending} onClick={() => pause.mutate(!data.paused)}>
            {data.paused ? 'Continue small copies' : 'Pause small copies'}
          </Button>
        )
      }
    >
      {error && !data && <LoadFailure sentence={copyTexts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24 w-full" />}
      {data && (
        <Card className="p-5 sm:p-7">
          <p>{progressOf(data)}</p>
          {data.failed.length > 0 && (
            <>
              <Named title="No copy could be made of" rows={data.failed} sayOf={({ why }) => why} />
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
          {data.faulty.length > 0 && (
            <Named
              title="These recordings sound wrong"
              rows={data.faulty}
              sayOf={({ faults }) => faults.map((fault) => copyTexts.faults[fault]).join(' ')}
            />
          )}
        </Card>
      )}
    </Section>
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
  const saved = `${copies} have a small copy: ${fileSize(copyBytes)} in place of ${fileSize(originalBytes)}.`
  return `${done} of ${total} recordings done; ${saved}${state}`
}
