import { DialogBackdrop, DialogPanel } from '@headlessui/react'
import { Link } from '@tanstack/react-router'
import { Headphones, LogIn, LogOut, Upload, Users, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { SignOutButton } from '../features/auth/sign-out-button.tsx'
import { StaysOnDevice, UserDetails } from '../features/auth/user-card.tsx'
import { InstallControl } from '../features/sync/install-control.tsx'
import { SyncStatus } from '../features/sync/sync-status.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Modal } from '../ui/modal.tsx'
import { ComfortControl } from './comfort-control.tsx'
import { NavigationLinks } from './navigation-links.tsx'

/** The navigation of narrow screens: the same links, and "Sign in" or "Sign Out". */
export function NavigationDrawer({ onClose, onSignIn }: { onClose: () => void; onSignIn: () => void }) {
  const { user } = useAuth()
  return (
    <Drawer label="Menu" onClose={onClose}>
      <nav aria-label="Main" className="mt-4">
        <ul className="flex flex-col gap-1">
          <NavigationLinks
            onFollow={onClose}
            className="flex min-h-13 items-center rounded-card px-4 font-serif text-xl text-ink transition-colors hover:bg-pine-tint hover:text-pine aria-[current=page]:bg-pine-tint aria-[current=page]:text-pine"
          />
        </ul>
      </nav>
      <Link
        to="/listening"
        onClick={onClose}
        className="mt-1 flex min-h-13 items-center gap-3 rounded-card px-4 text-left text-base text-soft hover:bg-pine-tint hover:text-pine"
      >
        <Headphones className="size-5 shrink-0" />
        My listening
      </Link>
      <ComfortControl className="mt-1 flex min-h-13 items-center gap-3 rounded-card px-4 text-left text-base text-soft hover:bg-pine-tint hover:text-pine" />
      <div className="mt-6 flex flex-col items-start gap-3 border-t border-line px-4 pt-6 text-small text-soft">
        <SyncStatus />
        <InstallControl />
      </div>
      <div className="mt-6 flex flex-col gap-4 border-t border-line pt-6">
        {user ? (
          <>
            <div>
              <UserDetails user={user} />
              <StaysOnDevice onFollow={onClose} />
            </div>
            <Link
              to="/teaching"
              search={{ focus: 'upload' }}
              onClick={onClose}
              className={buttonClass('secondary')}
            >
              <Upload className="size-5" />
              Upload Teaching
            </Link>
            {user.role === 'admin' && (
              <Link to="/manage" onClick={onClose} className={buttonClass('secondary')}>
                <Users className="size-5" />
                Manage
              </Link>
            )}
            <SignOutButton onSignedOut={onClose}>
              <LogOut className="size-5" />
            </SignOutButton>
          </>
        ) : (
          <Button
            icon={LogIn}
            onClick={() => {
              onClose()
              onSignIn()
            }}
          >
            Sign In
          </Button>
        )}
      </div>
    </Drawer>
  )
}

/** A modal panel at the right edge for narrow screens. It is open while it is rendered. */
function Drawer({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <Modal onClose={onClose} aria-label={label}>
      <DialogBackdrop className="fixed inset-0 bg-veil" />
      <DialogPanel className="fixed inset-y-0 right-0 flex w-88 max-w-[88vw] animate-slide-in flex-col overflow-y-auto bg-paper p-5 shadow-soft forced-colors:border">
        <div className="flex justify-end">
          <IconButton label="Close the menu" onClick={onClose}>
            <X className="size-6" />
          </IconButton>
        </div>
        {children}
      </DialogPanel>
    </Modal>
  )
}
