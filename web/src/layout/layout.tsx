import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, startTransition, useEffect, useState, type ComponentType, type RefObject } from 'react'
import { markContentPainted } from '../boot/content-painted.ts'
import { whenIdle } from '../boot/when-idle.ts'
import { LazyWhen } from '../ui/lazy-when.tsx'
import { SkipLink } from '../ui/skip-link.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { useMainFocus } from './use-main-focus.ts'

// The page works without it where it fails to load.
const Background = lazy<ComponentType<{ main: RefObject<HTMLElement | null> }>>(() =>
  import('./background.tsx').then(
    (m) => ({ default: m.Background }),
    () => ({ default: () => null }),
  ),
)

/** The frame of every page: navigation above, footer below. */
export function Layout() {
  const main = useMainFocus()
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), [])
  // Without the search parameters, so that typing into the library's search does not render this again.
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    // The library marks it itself, after reading the replica.
    if (pathname !== '/teaching') markContentPainted()
  }, [pathname])
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <Header />
      <main id="main" ref={main} tabIndex={-1} className="flex grow flex-col">
        <Outlet />
      </main>
      <Footer />
      <LazyWhen when={isIdle}>
        <Background main={main} />
      </LazyWhen>
    </div>
  )
}
