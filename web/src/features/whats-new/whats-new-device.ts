import { newUids, unseenUids } from '@fellowship/schema/whats-new/whats-new'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { noteLook, readNews } from '@fellowship/sync/client/whats-new/whats-new.store'
import { watch } from '@fellowship/sync/client/engine/live'
import './whats-new.css'

/** How often a page that is looked at says so: a browser that is killed says nothing. */
const lookMs = 60_000

/**
 * Notes when the site is looked at, keeps the count on the icon, and reports what is new since the visit before, now and
 * after every change in any tab; resolves after the first report.
 */
export async function watchArrivals(onChange: (uids: ReadonlySet<string>) => void): Promise<void> {
  // A device that cannot write it down marks nothing.
  const lookNow = () => noteLook(Date.now(), appDatabase()).catch(() => undefined)
  if (isVisible()) await lookNow()
  // Also when it is hidden: until then it was looked at.
  document.addEventListener('visibilitychange', () => void lookNow())
  setInterval(() => isVisible() && void lookNow(), lookMs)
  let told: string | undefined
  await new Promise<void>((resolve) => {
    watch(
      () => readNews(appDatabase()),
      ({ arrivals, visits }) => {
        showCount(isVisible() ? 0 : unseenUids(arrivals, visits).length)
        const uids = newUids(arrivals, visits)
        if (uids.join() !== told) onChange(new Set(uids))
        told = uids.join()
        resolve()
      },
      () => resolve(),
    )
  })
}

const isVisible = () => document.visibilityState === 'visible'

let shown: number | undefined

/** On the icon of the installed site, where the browser has a count there. */
function showCount(count: number): void {
  if (count === shown) return
  shown = count
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>
  const done = count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator)
  // Refused where the site is not installed.
  done?.catch(() => undefined)
}
