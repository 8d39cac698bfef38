import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Link } from '@tanstack/react-router'

export function TeachingLink({ teaching, className }: { teaching: ListedTeaching; className?: string }) {
  return (
    <Link to="/$" params={{ _splat: teachingPath(teaching).slice(1) }} className={className}>
      {shownTitle(teaching)}
    </Link>
  )
}
