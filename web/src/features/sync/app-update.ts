import { handOverChannel, openTabChannel } from '@fellowship/sync/client/engine/tab-channel'
import { Workbox } from 'workbox-window'
import { isPageHeld, onPageHeld } from '../../lib/busy.ts'
import { makeStore } from '../../lib/lazy-store.ts'

/**
 * none: this is the newest known version · ready: a new version waits for the user's consent · taken: another tab activated
 * it, and this page still runs the old version because it has unfinished work
 */
type UpdateState = 'none' | 'ready' | 'taken'

export interface AppUpdate {
  state: () => UpdateState
  onChange: (listener: () => void) => () => void
  /** Activates the new version and reloads; returns false while this page has unfinished work. */
  apply: () => boolean
}

/** The browser's part of an update; tests inject their own. */
export interface UpdateDeps {
  /** Whether a worker controlled this page when it was loaded. */
  controlledAtStart: boolean
  onWaiting: (then: () => void) => void
  onControllerChange: (then: () => void) => void
  skipWaiting: () => void
  /** Makes all players end their requests to the present worker. */
  handOver: () => void
  reload: () => void
}

/** Milliseconds after which the page reloads even if the new worker has not taken control. */
export const takeOverMs = 5_000

/**
 * Milliseconds after which players end their requests. Chromium waits up to five minutes for the old worker to be idle,
 * which it is not while an element has read only a part of its response. Elsewhere the new one has taken control by then.
 */
export const handOverMs = 500

/**
 * A new version never reloads a page by force: it waits for the user's consent, and every tab follows the consenting one
 * when it has no unfinished work. If the first worker ever takes control, that is no update.
 */
export function appUpdate({
  controlledAtStart,
  onWaiting,
  onControllerChange,
  skipWaiting,
  handOver,
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
      // The first worker on a device is no update; every later one is.
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
        setTimeout(handOver, handOverMs)
        setTimeout(reloadWhenFree, takeOverMs)
      }
      return true
    },
  }
}

/**
 * Milliseconds that the page of a first session has a slow network to itself, before the service worker precaches the whole
 * app.
 */
const firstLoadMs = 3_000

/** Registers the service worker; undefined if there is none (development, old browsers, plain http). */
export function registerWorker(): AppUpdate | undefined {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return undefined
  const workbox = new Workbox('/service-worker.js')
  const controlledAtStart = navigator.serviceWorker.controller !== null
  const update = appUpdate({
    controlledAtStart,
    onWaiting(then) {
      workbox.addEventListener('waiting', then)
      // Workbox follows one update that it did not begin: if the connection drops during that installation, it would report
      // no later one. Firefox rejects if site data is blocked.
      navigator.serviceWorker.ready.then(
        (registration) => onEachUpdate(registration, then),
        () => undefined,
      )
    },
    onControllerChange: (then) => navigator.serviceWorker.addEventListener('controllerchange', then),
    skipWaiting: () => workbox.messageSkipWaiting(),
    handOver: () => openTabChannel(handOverChannel)?.postMessage(''),
    reload: () => location.reload(),
  })
  // If the browser refuses the registration, there is nothing to update, and everything else works.
  const register = () => workbox.register({ immediate: true }).catch(() => undefined)
  const registerFirst = async () => {
    const known = await navigator.serviceWorker.getRegistration().catch(() => undefined)
    const found = known?.installing
    void register()
    if (found && (await removeIfStuck(found).catch(() => false))) void register()
  }
  if (controlledAtStart) void register()
  else setTimeout(() => void registerFirst(), firstLoadMs)
  // An installed app is seldom closed, so it checks for a new version when it becomes visible.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') workbox.update().catch(() => {})
  })
  return update
}

/** Calls back for every new version that waits from now on. */
function onEachUpdate(registration: ServiceWorkerRegistration, then: () => void): void {
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => worker === registration.waiting && then())
  })
}

/** A first worker that has cached no file for this many milliseconds is stuck. */
const stuckAfterMs = 5_000

/**
 * If a page is left for another site right after it registered a worker, WebKit never finishes that worker until the
 * browser quits or its registration is removed. Cached files stay cached. (It does not help a page of the same site that
 * loads at that very moment: WebKit does not complete the removal either.)
 *
 * @param worker one that another page registered
 * @returns whether it was removed
 */
async function removeIfStuck(worker: ServiceWorker): Promise<boolean> {
  let cached: number
  do {
    cached = await cachedFiles()
    await new Promise((done) => setTimeout(done, stuckAfterMs))
    if (worker.state !== 'installing') return false
  } while ((await cachedFiles()) > cached)
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.unregister()) ?? false
}

async function cachedFiles(): Promise<number> {
  const names = await caches.keys()
  const files = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
  return files.flat().length
}
