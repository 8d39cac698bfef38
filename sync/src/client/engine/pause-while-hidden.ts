import { pause } from './sleep.ts'

/** As `pause`; on a hidden page, until it is visible. */
export const pauseWhileHidden: typeof pause = async (ms, woken) => {
  await pause(ms, woken)
  if (document.visibilityState === 'visible') return
  const seen = new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })
  await Promise.race([woken, seen])
}
