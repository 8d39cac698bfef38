import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, startTransition, Suspense, useEffect, useState } from 'react'
import { markContentPainted } from '../boot/content-painted.ts'
import { whenIdle } from '../boot/when-idle.ts'
import { SkipLink } from '../ui/skip-link.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { useMainFocus } from './use-main-focus.ts'

// A page whose line went before this came is still a page.
const Background = lazy(() =>
  import('./background.tsx').then(
    (m) => ({ default: m.Background }),
    () => ({ default: () => null }),
  ),
)

/** Every page: navigation above, footer below. */
export function Layout() {
  const main = useMainFocus()
  useKeptFocus(main)
  const [settled, setSettled] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setSettled(true))), [])
  // The path alone: what one types into the search is written behind it, and draws nothing here anew.
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    // The library tells it itself: it reads the device first.
    if (!pathname.startsWith('/teaching')) markContentPainted()
  }, [pathname])
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <Header />
      <main id="main" ref={main} tabIndex={-1} className="flex grow flex-col">
        <Outlet />
      </main>
      <Footer />
      <Suspense>{settled && <Background />}</Suspense>
    </div>
  )
}
