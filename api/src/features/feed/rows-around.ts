import { booksOf } from '@fellowship/schema/teachings/teaching-facets'
import { groupPath, teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import { mostRelated, rowsAround } from '@fellowship/schema/teachings/teaching-neighbours'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { onceMade } from '../../machine/once-made.ts'

/**
 * `rowsAround` of a whole library, which compares no more than the rows that it may choose from.
 *
 * @param teachings newest first
 */
export function rowsAroundIn(teachings: readonly Teaching[]): (teaching: Teaching) => Teaching[] {
  const places = onceMade(() => new Map(teachings.map(({ uid }, at) => [uid, at])))
  const unnamed = onceMade(() => withoutPath(teachings))
  return (teaching) => {
    const at = places().get(teaching.uid)
    if (at === undefined) return rowsAround(teachings, teaching)
    const [book] = booksOf(teaching.scriptureReference)
    const chosen = [
      ...teachings.slice(Math.max(0, at - 1), at + 2),
      ...firstOf(bySpeaker(teaching.speaker)),
      ...(book === undefined ? [] : firstOf(groupAt('books', book))),
    ]
    const inOrder = [...new Set(chosen)].sort(
      (one, other) => places().get(one.uid)! - places().get(other.uid)!,
    )
    return rowsAround(inOrder, teaching)
  }

  function groupAt(kind: 'books' | 'speakers', name: string): readonly Teaching[] | undefined {
    const path = groupPath(kind, name)
    return path === undefined ? undefined : teachingGroups(teachings).get(path)?.teachings
  }

  function bySpeaker(name: string): readonly Teaching[] | undefined {
    return groupPath('speakers', name) === undefined ? unnamed().get(name) : groupAt('speakers', name)
  }
}

/** One more than are shown, since the teaching itself may be among them. */
const firstOf = (rows: readonly Teaching[] = []) => rows.slice(0, mostRelated + 1)

/** The teachings of speakers whose name has no letter or digit: they have no group. */
function withoutPath(teachings: readonly Teaching[]): Map<string, Teaching[]> {
  const unnamed = new Map<string, Teaching[]>()
  const named = new Set<string>()
  for (const teaching of teachings) {
    const { speaker } = teaching
    if (named.has(speaker)) continue
    const known = unnamed.get(speaker)
    if (known) known.push(teaching)
    else if (groupPath('speakers', speaker) === undefined) unnamed.set(speaker, [teaching])
    else named.add(speaker)
  }
  return unnamed
}
