import { seriesListPath } from '@fellowship/schema/series/series-address'
import { groupPath, type GroupKind } from '@fellowship/schema/teachings/teaching-groups'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link to the page of a speaker or a book; renders nothing if the name has no address. */
export function GroupLink({ kind, name, children }: { kind: GroupKind; name: string; children: ReactNode }) {
  const path = groupPath(kind, name)
  return path === undefined ? null : <PathLink path={path}>{children}</PathLink>
}

export const SeriesLink = ({ slug, children }: { slug: string; children: ReactNode }) => (
  <PathLink path={`${seriesListPath}/${slug}`}>{children}</PathLink>
)

function PathLink({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Link
      to="/$"
      params={{ _splat: path.slice(1) }}
      className="inline-flex min-h-11 max-w-full items-center text-pine underline underline-offset-4"
    >
      {children}
    </Link>
  )
}
