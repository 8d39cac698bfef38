import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useIsHere } from './use-is-here.ts'

/** The address of the upload panel on the page. */
export const uploadPlace = 'upload'

/**
 * What an address asks for besides the page: `focus` begins with the search or the upload, as the shortcuts of the
 * installed app do; `shared` says what another app gave that was of no use. Who is not signed in signs in first to upload.
 */
export function useArrival(onUpload: () => void): void {
  const focus = useSearch({ from: '/teaching', select: (search) => search.focus })
  const shared = useSearch({ from: '/teaching', select: (search) => search.shared })
  const { status, user } = useAuth()
  const navigate = useNavigate()
  const isHere = useIsHere()
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
    if (focus !== 'upload' || status === 'loading' || !isHere()) return
    if (signedIn) {
      onUpload()
      const panel = document.getElementById(uploadPlace)
      panel?.scrollIntoView({ block: 'start' })
      panel?.focus({ preventScroll: true })
    } else {
      const back = '/teaching?focus=upload'
      void navigate({ to: '/teaching', search: { signin: '', return: back }, replace: true })
    }
  }, [focus, status, signedIn, isHere, navigate, onUpload])
}
