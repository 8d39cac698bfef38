import { DialogBackdrop, DialogPanel } from '@headlessui/react'
import { Link } from '@tanstack/react-router'
import { LogIn, LogOut, Upload, Users, X } from 'lucide-react'
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
      <nav aria-label="Main">
        <ul className="flex flex-col">
          <NavigationLinks
            onFollow={onClose}
            className="flex min-h-11 items-center rounded-card px-4 font-serif text-xl text-ink transition-colors hover:bg-pine-tint hover:text-pine aria-[current=page]:bg-pine-tint aria-[current=page]:text-pine"
          />
        </ul>
      </nav>
      <ComfortControl className="flex min-h-11 items-center gap-3 rounded-card px-4 text-left text-base text-soft hover:bg-pine-tint hover:text-pine" />
      {/* Above the state of the device, so that "Sign Out" is on the first screen of a phone. */}
      <div className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
        {user ? (
          <>
            <UserDetails user={user} />
            <div className="flex flex-wrap gap-3 *:grow">
              <Link
                to="/teaching"
                search={{ focus: 'upload' }}
                onClick={onClose}
                className={buttonClass('secondary', 'px-4!')}
              >
                <Upload className="size-5" />
                Upload Teaching
              </Link>
              {user.role === 'admin' && (
                <Link to="/manage" onClick={onClose} className={buttonClass('secondary', 'px-4!')}>
                  <Users className="size-5" />
                  Manage
                </Link>
              )}
              <SignOutButton onSignedOut={onClose}>
                <LogOut className="size-5" />
              </SignOutButton>
            </div>
            <StaysOnDevice onFollow={onClose} />
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
      <div className="mt-4 flex flex-col items-start gap-3 border-t border-line px-4 pt-4 text-small text-soft">
        <SyncStatus />
        <InstallControl />
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
