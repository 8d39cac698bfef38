import {
  listedTeachings,
  teachingGroups,
  type GroupAddress,
} from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { CollectionPage } from './collection-page.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'

/** The teachings of a speaker or a book: as the server rendered them, then from the replica. */
export function Groups({ address }: { address: GroupAddress }) {
  const { user } = useAuth()
  const { library, outbox } = useLibrary(user?.id)
  const whole = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Deferred until the page is painted, as there may be thousands of teachings to group.
  const rows = useDeferredValue(whole)
  const failure = library.status === 'failed' ? library.sentence : undefined
  return <GroupPage address={address} rows={rows} failure={failure} outbox={outbox} />
}

interface ShownProps {
  address: GroupAddress
  /** The whole library; undefined until it is read. */
  rows: readonly Teaching[] | undefined
  /** The reason if it could not be read. */
  failure: string | undefined
}

function GroupPage({
  address: { kind, path },
  rows,
  failure,
  outbox,
}: ShownProps & Pick<ReturnType<typeof useLibrary>, 'outbox'>) {
  const part = firstPartOf(path)
  const group = useMemo(() => rows && teachingGroups(rows).get(path), [rows, path])
  const name = group?.name ?? part?.name
  if (name === undefined) {
    if (failure !== undefined) return <NotFound title={groupTexts[kind].one} sentence={failure} />
    return rows ? (
      <NotFound sentence={groupTexts[kind].missing} />
    ) : (
      <PageSkeleton label={groupTexts[kind].one} />
    )
  }
  return (
    <CollectionPage
      key={path}
      kind={kind}
      path={path}
      name={name}
      about={groupTexts[kind].about(name)}
      all={{ part: kind, label: groupTexts[kind].all }}
      rows={group ? listedTeachings(group) : (part?.rows ?? [])}
      count={group?.teachings.length ?? part?.count ?? 0}
      outbox={outbox}
    />
  )
}
