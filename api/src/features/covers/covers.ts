import { coverSvg } from '@fellowship/schema/covers/cover'
import type { Cover } from '@fellowship/schema/covers/cover-path'
import { coversKept } from '@fellowship/schema/covers/covers.limits'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { groupPath, teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { RecentMap } from '../../machine/caches.ts'
import { pngOfDrawing } from '../../machine/picture/pictures.ts'
import type { LiveLibrary } from '../feed/feed.ts'

/** Whether the library has something of this kind and title: no caller makes the site show words of their own. */
export function isInLibrary(
  { series, teachings }: Pick<LiveLibrary, 'series' | 'teachings'>,
  { kind, title }: Cover,
): boolean {
  if (kind === 'series') return series.some((each) => each.title === title)
  if (kind === 'teaching') return titlesOf(teachings).has(title)
  return teachingGroups(teachings).get(groupPath(kind, title) ?? '')?.name === title
}

const titles = new WeakMap<readonly Teaching[], ReadonlySet<string>>()

function titlesOf(teachings: readonly Teaching[]): ReadonlySet<string> {
  const known = titles.get(teachings) ?? new Set(teachings.map(shownTitle))
  titles.set(teachings, known)
  return known
}

const side = elderPhoto.coverSide

/**
 * Covers as PNG, drawn once while they are in memory.
 *
 * @param mayDraw called before one is drawn; throws to refuse
 */
export function pngCovers(): (cover: Cover, mayDraw: () => void) => Promise<Buffer> {
  const drawn = new RecentMap<Promise<Buffer>>(coversKept)
  return (cover, mayDraw) => {
    const key = `${cover.kind} ${cover.title}`
    const known = drawn.get(key)
    if (known) return known
    mayDraw()
    const png = pngOfDrawing(coverSvg(cover, { responds: false }), { width: side, height: side })
    drawn.set(key, png)
    png.catch(() => drawn.get(key) === png && drawn.delete(key))
    return png
  }
}
