import { newUids, unseenUids } from '@fellowship/schema/whats-new/whats-new'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readWhatsNew, recordPageView } from '@fellowship/sync/client/whats-new/whats-new.store'
import { watch } from '@fellowship/sync/client/engine/live'
import './whats-new.css'

/** The interval at which a visible page records a view: a killed browser records none. */
const viewMs = 60_000

/**
 * Records page views, updates the count on the icon, and reports the teachings that are new since the previous session, now
 * and after every change in any tab; resolves after the first report.
 */
export async function watchWhatsNew(onChange: (uids: ReadonlySet<string>) => void): Promise<void> {
  // If the device cannot store the view, nothing is marked as new.
  const viewNow = () => recordPageView(Date.now(), appDatabase()).catch(() => undefined)
  if (isVisible()) await viewNow()
  // Also when the page is hidden: it was visible until then.
  document.addEventListener('visibilitychange', () => void viewNow())
  setInterval(() => isVisible() && void viewNow(), viewMs)
  let reported: string | undefined
  await new Promise<void>((resolve) => {
    watch(
      () => readWhatsNew(appDatabase()),
      ({ whatsNew, sessions }) => {
        showCount(isVisible() ? 0 : unseenUids(whatsNew, sessions).length)
        const uids = newUids(whatsNew, sessions)
        if (uids.join() !== reported) onChange(new Set(uids))
        reported = uids.join()
        resolve()
      },
      () => resolve(),
    )
  })
}

const isVisible = () => document.visibilityState === 'visible'

let shown: number | undefined

/** Shows the count on the icon of the installed site if the browser supports it. */
function showCount(count: number): void {
  if (count === shown) return
  shown = count
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>
  const done = count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator)
  // Rejects if the site is not installed.
  done?.catch(() => undefined)
}
