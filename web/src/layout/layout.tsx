import { Outlet, useLocation } from '@tanstack/react-router'
import { startTransition, useEffect, useState } from 'react'
import { markContentPainted, whenIdle } from '../boot/phases.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { SkipLink } from '../ui/skip-link.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { useMainFocus } from './use-main-focus.ts'

const Background = lazyPart(async () => (await import('./background.tsx')).Background, { failure: 'ignore' })

/** The frame of every page: navigation above, footer below. */
export function Layout() {
  const main = useMainFocus()
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), [])
  // Without the search parameters, so that typing into the library's search does not render this again.
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    // The library page marks it itself, when it has read the replica.
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
      {isIdle && <Background main={main} />}
    </div>
  )
}
