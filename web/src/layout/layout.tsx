import { Outlet } from '@tanstack/react-router'
import { SkipLink } from '../ui/skip-link.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { useMainFocus } from './use-main-focus.ts'

/** Every page: navigation above, footer below. */
export function Layout() {
  const main = useMainFocus()
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <Header />
      <main id="main" ref={main} tabIndex={-1} className="flex grow flex-col">
        <Outlet />
      </main>
      <Footer />
    </div>
  )
}
