import { church } from '@fellowship/schema/church'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { reducesData } from '../lib/comfort.ts'
import { whenIdle } from '../boot/phases.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { Mark } from '../ui/mark.tsx'
import { AccountControl } from './account-control.tsx'
import { NavigationLinks } from './navigation-links.tsx'
import { useOpenOnPage } from './use-open-on-page.ts'
import { useSignIn } from './use-sign-in.ts'

const drawerPart = () => import('./navigation-drawer.tsx')
const signInPart = () => import('../features/auth/sign-in-panel.tsx')
const NavigationDrawer = lazyPart(async () => (await drawerPart()).NavigationDrawer, asDialog)
const SignInPanel = lazyPart(async () => (await signInPart()).SignInPanel, asDialog)

/** The mark, the links, and the account; on narrow screens the mark and a button for the drawer. */
export function Header() {
  const [drawerOpen, setDrawerOpen] = useOpenOnPage()
  const signIn = useSignIn()
  // Fetched when idle, so that the menu opens even if the connection is lost.
  useEffect(() => {
    if (!reducesData()) return whenIdle(() => void Promise.allSettled([drawerPart(), signInPart()]))
    return undefined
  }, [])
  return (
    <header className="page relative z-10 flex items-center justify-between gap-4 py-4 lg:py-5">
      {/* If there is little room, the name of the fellowship wraps before that of the user is cut. */}
      <Link
        to="/"
        className="flex min-w-0 items-center gap-3 rounded-card text-ink lg:min-w-min lg:shrink-9"
        aria-label={`${church.name}, home`}
      >
        <Mark className="size-[min(2.75rem,13vw)] shrink-0" />
        <span className="min-w-0 font-serif text-[min(1.125rem,7vw)] leading-tight font-semibold">
          {church.name}
        </span>
      </Link>
      {/* Aligned left, so that no link moves when the signed-in user is read. */}
      <nav aria-label="Main" className="ml-4 hidden min-w-0 grow items-center justify-between gap-6 lg:flex">
        <ul className="flex items-center gap-1">
          <NavigationLinks className="inline-flex min-h-11 items-center rounded-card px-4 text-base font-medium text-soft transition-colors hover:bg-pine-tint hover:text-pine aria-[current=page]:bg-pine-tint aria-[current=page]:text-pine" />
        </ul>
        <AccountControl onSignIn={signIn.ask} />
      </nav>
      <IconButton
        label="Open the menu"
        aria-haspopup="dialog"
        aria-expanded={drawerOpen}
        className="-mr-2 size-[min(2.75rem,14vw)]! text-ink lg:hidden"
        onClick={() => setDrawerOpen(true)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true" className="size-7 stroke-current stroke-2">
          <path d="M4 7h16M4 12h16M4 17h16" strokeLinecap="round" />
        </svg>
      </IconButton>
      {drawerOpen && <NavigationDrawer onClose={() => setDrawerOpen(false)} onSignIn={signIn.ask} />}
      {signIn.open && <SignInPanel onClose={signIn.close} onSignedIn={signIn.close} />}
    </header>
  )
}
