import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useIsLibraryWanted } from './use-is-library-wanted.ts'

/** The address of the upload panel on the page. */
export const uploadPlace = 'upload'

/**
 * Runs the action in the address: `focus` opens the search or the upload, as the shortcuts of the installed app do;
 * `shared` shows why files from another app were not usable. If the user is signed out, `focus=upload` asks to sign in.
 */
export function useAddressAction(onUpload: () => void): void {
  const focus = useSearch({ from: '/teaching', select: (search) => search.focus })
  const shared = useSearch({ from: '/teaching', select: (search) => search.shared })
  const { status, user } = useAuth()
  const navigate = useNavigate()
  const isLibraryWanted = useIsLibraryWanted()
  const signedIn = user !== null

  useEffect(() => {
    if (focus === 'search') document.querySelector<HTMLElement>('input[type=search]')?.focus()
  }, [focus])

  useEffect(() => {
    if (shared)
      void import('../features/uploads/shared-outcome.ts').then(({ toastSharedOutcome }) =>
        toastSharedOutcome(shared),
      )
  }, [shared])

  useEffect(() => {
    if (focus !== 'upload' || status === 'loading' || !isLibraryWanted()) return
    if (signedIn) {
      onUpload()
      const panel = document.getElementById(uploadPlace)
      panel?.scrollIntoView({ block: 'start' })
      panel?.focus({ preventScroll: true })
    } else {
      const back = '/teaching?focus=upload'
      void navigate({ to: '/teaching', search: { signin: '', return: back }, replace: true })
    }
  }, [focus, status, signedIn, isLibraryWanted, navigate, onUpload])
}
