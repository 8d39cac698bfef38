import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/**
 * Moves the focus to the page itself when another page is shown, as a browser does when it loads one: screen
 * readers announce it, and Tab continues from there. The first page is left to the browser.
 */
export function useMainFocus() {
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
