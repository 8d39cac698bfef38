import { Workbox } from 'workbox-window'
import { isPageHeld, onPageHeld } from '../../lib/busy.ts'
import { makeStore } from '../../lib/lazy-store.ts'
import { removeIfStuck } from './stuck-worker.ts'

/**
 * none: this is the newest known version · ready: a new version waits for the user's consent · taken: another tab
 * activated it, and this page still runs the old version because it has unfinished work
 */
type UpdateState = 'none' | 'ready' | 'taken'

export interface AppUpdate {
  state: () => UpdateState
  onChange: (listener: () => void) => () => void
  /** Activates the new version and reloads; refused (false) while this page has unfinished work. */
  apply: () => boolean
}

/** The browser's part of an update; a test passes its own. */
export interface UpdateDeps {
  /** Whether a worker controlled this page when it was loaded. */
  controlledAtStart: boolean
  onWaiting: (then: () => void) => void
  onControllerChange: (then: () => void) => void
  skipWaiting: () => void
  reload: () => void
}

/**
 * So long the page waits for the new worker to take over before it reloads all the same, in milliseconds. Chromium
 * forgets the new worker for minutes where the old one is sent a message or a request in the very moment it is asked;
 * a page that goes reminds it (seen; and GitHub joCur/quorum 216).
 */
export const takeOverMs = 3_000

/**
 * A new version never takes a page away: it waits for a yes, and every tab follows the one in which it was said,
 * each when nothing in it is unfinished. The first worker ever taking control is no update.
 */
export function appUpdate({
  controlledAtStart,
  onWaiting,
  onControllerChange,
  skipWaiting,
  reload,
}: UpdateDeps): AppUpdate {
  const state = makeStore<UpdateState>('none')
  let reloaded = false
  const reloadWhenFree = () => {
    if (reloaded || isPageHeld()) return
    reloaded = true
    reload()
  }

  onWaiting(() => state.set('ready'))
  onControllerChange(() => {
    if (!controlledAtStart) {
      // The first worker of a first visit is no update; every later one is.
      controlledAtStart = true
      return
    }
    state.set('taken')
    reloadWhenFree()
  })
  onPageHeld(() => {
    if (state.snapshot() === 'taken') reloadWhenFree()
  })

  return {
    state: state.snapshot,
    onChange: state.subscribe,
    apply() {
      if (isPageHeld()) return false
      if (state.snapshot() === 'taken') reloadWhenFree()
      else {
        skipWaiting()
        setTimeout(reloadWhenFree, takeOverMs)
      }
      return true
    },
  }
}

/**
 * Milliseconds that the page of a first visit has a slow network to itself, before the service worker precaches the
 * whole app.
 */
const firstVisitMs = 3_000

/** Registers the service worker; undefined where there is none (development, old browsers, plain http). */
export function registerWorker(): AppUpdate | undefined {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return undefined
  const workbox = new Workbox('/service-worker.js')
  const controlledAtStart = navigator.serviceWorker.controller !== null
  const update = appUpdate({
    controlledAtStart,
    onWaiting(then) {
      workbox.addEventListener('waiting', then)
      // Workbox follows one update that it did not begin: where the line broke while that was installed, the page would hear
      // of no later one. Firefox rejects it where the site is refused its data.
      navigator.serviceWorker.ready.then(
        (registration) => onEachUpdate(registration, then),
        () => undefined,
      )
    },
    onControllerChange: (then) => navigator.serviceWorker.addEventListener('controllerchange', then),
    skipWaiting: () => workbox.messageSkipWaiting(),
    reload: () => location.reload(),
  })
  // Where the browser refuses it there is nothing to update, and everything else works.
  const register = () => workbox.register({ immediate: true }).catch(() => undefined)
  const registerFirst = async () => {
    const known = await navigator.serviceWorker.getRegistration().catch(() => undefined)
    const found = known?.installing
    void register()
    if (found && (await removeIfStuck(found).catch(() => false))) void register()
  }
  if (controlledAtStart) void register()
  else setTimeout(() => void registerFirst(), firstVisitMs)
  // An installed app is seldom closed: it checks for a new version when it becomes visible.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') workbox.update().catch(() => {})
  })
  return update
}

/** Calls back for every new version from now on that waits. */
function onEachUpdate(registration: ServiceWorkerRegistration, then: () => void): void {
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => worker === registration.waiting && then())
  })
}
