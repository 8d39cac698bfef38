import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ownPath } from '../lib/own-path.ts'

/**
 * Whether the sign-in panel is open. `?signin` on any page opens it; after success it navigates to `return`, if that is
 * a page of this site. If the user is already signed in, it navigates at once.
 */
export function useSignIn() {
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
