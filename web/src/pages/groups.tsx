import type { ListedCollection } from '@fellowship/schema/pages/prerender-data'
import { groupsOfKind, teachingGroups, type GroupAddress } from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'
import { testamentOf } from '@fellowship/schema/teachings/teaching-facets'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { CollectionList } from './collection-list.tsx'
import { CollectionPage } from './collection-page.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'

/** All speakers or books, or the teachings of one of them: as the server rendered them, then from the replica. */
export function Groups({ address }: { address: GroupAddress }) {
  const { user } = useAuth()
  const { library, outbox } = useLibrary(user?.id)
  const whole = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Deferred until the page is painted, as there may be thousands of teachings to group.
  const rows = useDeferredValue(whole)
  const shown = { address, rows, failure: library.status === 'failed' ? library.sentence : undefined }
  return address.isList ? <GroupList {...shown} /> : <GroupPage {...shown} outbox={outbox} />
}

interface ShownProps {
  address: GroupAddress
  /** The whole library; undefined until it is read. */
  rows: readonly Teaching[] | undefined
  /** The reason if it could not be read. */
  failure: string | undefined
}

function GroupList({ address: { kind, path }, rows, failure }: ShownProps) {
  const read = useMemo(() => rows && groupsOfKind(kind, rows), [kind, rows])
  const groups = read ?? firstPartOf(path)?.groups
  return (
    <CollectionList
      title={groupTexts[kind].all}
      sections={groups && sectionsOf(kind, groups)}
      whenEmpty={groupTexts[kind].none}
      failure={failure}
    />
  )
}

/** Books under their testament. */
function sectionsOf(kind: GroupAddress['kind'], groups: readonly ListedCollection[]) {
  if (kind !== 'books') return [{ entries: groups }]
  return (['Old', 'New'] as const)
    .map((testament) => ({
      title: `${testament} Testament`,
      entries: groups.filter(({ name }) => testamentOf(name) === testament),
    }))
    .filter(({ entries }) => entries.length > 0)
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
      path={path}
      name={name}
      about={groupTexts[kind].about(name)}
      all={{ path: `/${kind}`, label: groupTexts[kind].all }}
      rows={group?.teachings ?? part?.rows ?? []}
      count={group?.teachings.length ?? part?.count ?? 0}
      library={rows}
      outbox={outbox}
    />
  )
}
