import { vi } from 'vitest'
import { renderSite } from '../render-site.tsx'
import { testServer } from '../test-server.ts'
import type { Scenario } from './scenario.ts'

/** Every element is near the viewport: happy-dom lays nothing out. */
class NearAtOnce {
  readonly #tell: (entries: { isIntersecting: boolean }[]) => void
  constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
    this.#tell = tell
  }
  observe(): void {
    this.#tell([{ isIntersecting: true }])
  }
  disconnect(): void {}
}

export const saidByMap: readonly Scenario[] = [
  {
    says: ['Tap or click on map to get directions'],
    bring: async () => {
      await testServer({})
      renderSite('/')
    },
  },
  {
    says: ['Interactive map unavailable'],
    bring: async () => {
      vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
      vi.stubGlobal('IntersectionObserver', NearAtOnce)
      await testServer({})
      renderSite('/')
    },
  },
]
