import { Outlet, useLocation } from '@tanstack/react-router'
import { startTransition, useEffect, useRef, useState } from 'react'
import { markContentPainted, whenIdle } from '../boot/phases.ts'
import { lazyPart, optional } from '../ui/lazy-part.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'

const Background = lazyPart(() => import('./background.tsx'), 'Background', optional)

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

/** The first stop of the Tab key: skips the navigation. */
function SkipLink() {
  return (
    <a
      href="#main"
      className="absolute top-3 left-3 z-50 rounded-card bg-pine px-5 py-3 font-medium text-on-pine forced-colors:border not-focus:sr-only"
    >
      Skip to the content
    </a>
  )
}

/**
 * Moves the focus to the page itself when another page is shown, as a browser does when it loads one: screen
 * readers announce it, and Tab continues from there. The first page is left to the browser.
 */
function useMainFocus() {
  const main = useRef<HTMLElement>(null)
  const pathname = useLocation({ select: (location) => location.pathname })
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
