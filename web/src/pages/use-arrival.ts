import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { rowId } from '../features/teachings/teaching-row.tsx'

/** The address of the upload panel on the page. */
export const uploadPlace = 'upload'

/**
 * What an address asks for besides the page: `t` brings a teaching into sight, `focus` begins with the search or the
 * upload, as the shortcuts of the installed app do. Who is not signed in signs in first to upload.
 *
 * @param ready the rows are on the page
 */
export function useArrival(ready: boolean): void {
  const { focus, t } = useSearch({ from: '/teaching' })
  const { status, user } = useAuth()
  const navigate = useNavigate()
  const signedIn = user !== null

  useEffect(() => {
    if (focus === 'search') document.querySelector<HTMLElement>('input[type=search]')?.focus()
  }, [focus])

  useEffect(() => {
    if (focus !== 'upload' || status === 'loading') return
    if (signedIn) {
      const panel = document.getElementById(uploadPlace)
      panel?.scrollIntoView({ block: 'start' })
      panel?.focus({ preventScroll: true })
    } else {
      const back = '/teaching?focus=upload'
      void navigate({ to: '/teaching', search: { signin: '', return: back }, replace: true })
    }
  }, [focus, status, signedIn, navigate])

  useEffect(() => {
    if (!t || !ready) return
    const row = document.getElementById(rowId({ uid: t }))
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
    void navigate({
      to: '/teaching',
      search: (before) => ({ ...before, t: undefined }),
      replace: true,
      resetScroll: false,
    })
  }, [t, ready, navigate])
}
