import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { Link } from '@tanstack/react-router'
import { LogOut, Users } from 'lucide-react'
import { buttonClass } from '../../ui/button.tsx'
import { DropdownPanel } from '../../ui/dropdown-panel.tsx'
import { SignOutButton } from './sign-out-button.tsx'

/** The signed-in user, with the sign-out button and, for administrators, the link to /manage. */
export function UserCard({ user, onClose }: { user: CurrentUser; onClose: () => void }) {
  return (
    <DropdownPanel label="Your account" onClose={onClose}>
      <UserDetails user={user} />
      <StaysOnDevice onFollow={onClose} />
      <div className="mt-6 flex flex-col gap-3">
        {user.role === 'admin' && (
          <Link to="/manage" onClick={onClose} className={buttonClass('secondary')}>
            <Users className="size-5" />
            Manage
          </Link>
        )}
        <SignOutButton onSignedOut={onClose}>
          <LogOut className="size-5" />
        </SignOutButton>
      </div>
    </DropdownPanel>
  )
}

/** Names the data that signing out does not remove. */
export function StaysOnDevice({ onFollow }: { onFollow: () => void }) {
  return (
    <p className="mt-3 text-small text-soft">
      What you listened to, your favourites and your notes stay on this device when you sign out, unless your
      account keeps them: then you are asked.{' '}
      <Link to="/listening" onClick={onFollow} className="text-pine underline">
        My listening
      </Link>{' '}
      shows and deletes them.
    </p>
  )
}

/** Name and email; long addresses wrap instead of being cut. */
export function UserDetails({ user }: { user: CurrentUser }) {
  return (
    <div className="min-w-0">
      <p className="font-serif text-xl break-words">{user.name}</p>
      <p className="text-small break-all text-soft">{user.email}</p>
    </div>
  )
}
