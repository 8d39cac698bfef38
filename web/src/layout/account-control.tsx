import { useAuth } from '../features/auth/auth-context.tsx'
import { Button } from '../ui/button.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useOpenOnPage } from './use-open-on-page.ts'

const UserCard = lazyPart(async () => (await import('../features/auth/user-card.tsx')).UserCard, asDialog)

/** The right end of the navigation: "Sign in", or the user's name, which opens the account card. */
export function AccountControl({ onSignIn }: { onSignIn: () => void }) {
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
