import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { whenIdle } from '../boot/phases.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { reducesData } from '../lib/comfort.ts'
import { useChurch } from '../lib/use-church.ts'
import { ownPath } from '../lib/own-path.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { Mark } from '../ui/mark.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { NavigationLinks } from './navigation-links.tsx'
import { useOpenOnPage } from './use-open-on-page.ts'

const drawerPart = () => import('./navigation-drawer.tsx')
const signInPart = () => import('../features/auth/sign-in-panel.tsx')
const NavigationDrawer = lazyPart(drawerPart, 'NavigationDrawer', asDialog)
const SignInPanel = lazyPart(signInPart, 'SignInPanel', asDialog)

/** The mark, the links, and the account; on narrow screens the mark and a button for the drawer. */
export function Header() {
  const [drawerOpen, setDrawerOpen] = useOpenOnPage()
  const signIn = useSignIn()
  const { name } = useChurch()
  // Fetched when idle, so that the menu opens even if the connection is lost.
  useEffect(() => {
    if (!reducesData()) return whenIdle(() => void Promise.allSettled([drawerPart(), signInPart()]))
    return undefined
  }, [])
  return (
    <header className="page relative z-20 flex items-center justify-between gap-4 py-4 lg:py-5">
      {/* If there is little room, the name of the fellowship wraps before the links do, or that of the user is cut. */}
      <Link
        to="/"
        className="flex min-w-0 items-center gap-3 rounded-card text-ink sm:min-w-min sm:shrink-99999"
        aria-label={`${name}, home`}
      >
        <Mark className="size-[min(2.75rem,13vw)] shrink-0" />
        <span className="min-w-0 font-serif text-[min(1.125rem,7vw)] leading-tight font-semibold">
          {name}
        </span>
      </Link>
      {/* Aligned left, so that no link moves when the signed-in user is read. */}
      <nav
        aria-label="Main"
        className="places flex min-w-0 items-center justify-between gap-4 sm:ml-4 lg:grow"
      >
        <ul className="flex flex-wrap">
          <NavigationLinks
            places
            className="inline-flex min-h-11 items-center rounded-card px-3 text-base font-medium whitespace-nowrap text-soft transition-colors hover:bg-pine-tint hover:text-pine aria-[current=page]:bg-pine-tint aria-[current=page]:text-pine"
          />
        </ul>
        <div className="flex min-w-0 max-lg:hidden">
          <AccountControl onSignIn={signIn.ask} />
        </div>
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

/**
 * Whether the sign-in panel is open. `?signin` on any page opens it; after success it navigates to `return`, if that is
 * a page of this site. If the user is already signed in, it navigates at once.
 */
function useSignIn() {
  const search = useSearch({ from: '__root__' })
  const { user } = useAuth()
  const [asked, setAsked] = useState(false)
  const navigate = useNavigate()
  const { history } = useRouter()
  const wanted = search.signin !== undefined
  const returnTo = wanted ? ownPath(search.return) : undefined

  useEffect(() => {
    if (!wanted || !user) return
    if (returnTo) history.replace(returnTo)
    else void navigate({ to: '.', search: withoutSignIn, replace: true })
  }, [wanted, returnTo, user, history, navigate])

  return {
    open: (asked || wanted) && !user,
    ask: () => setAsked(true),
    close: () => {
      setAsked(false)
      if (wanted) void navigate({ to: '.', search: withoutSignIn, replace: true })
    },
  }
}

const withoutSignIn = <Search extends object>(search: Search) => ({
  ...search,
  signin: undefined,
  return: undefined,
})

const UserCard = lazyPart(() => import('../features/auth/user-card.tsx'), 'UserCard', asDialog)

/** The right end of the navigation: "Sign in", or the user's name, which opens the account card. */
function AccountControl({ onSignIn }: { onSignIn: () => void }) {
  const { status, user } = useAuth()
  const [open, setOpen] = useOpenOnPage()
  if (status === 'loading') return <Skeleton className="h-11 w-28" />
  if (!user) {
    return (
      <Button kind="secondary" aria-haspopup="dialog" onClick={onSignIn}>
        Sign In
      </Button>
    )
  }
  return (
    <>
      <Button
        kind="secondary"
        aria-haspopup="dialog"
        aria-expanded={open}
        className="max-w-56! min-w-0"
        onClick={() => setOpen(true)}
      >
        <span
          aria-hidden="true"
          className="-my-0.5 -ml-2 inline-flex size-7 shrink-0 items-center justify-center rounded-full bg-pine text-small text-on-pine"
        >
          {user.name.slice(0, 1)}
        </span>
        <span className="truncate">{user.name}</span>
      </Button>
      {open && <UserCard user={user} onClose={() => setOpen(false)} />}
    </>
  )
}
