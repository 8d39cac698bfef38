import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { Link, Navigate } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { listen } from '../../lib/listen.ts'
import { signInAddress } from '../../lib/sign-in-address.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageSpinner } from '../../ui/spinner.tsx'
import { adminRedirectMs } from '../../ui/timings.ts'
import { showToast } from '../../ui/toast.ts'
import { useAuth } from './auth-context.tsx'

interface AdminOnlyProps {
  /** How to redirect a visitor who is not signed in: to the home page, or to the sign-in page after a toast. */
  anonymous: 'home' | 'sign-in'
  children: ReactNode
}

/**
 * Guards a page of the administration: a spinner while the user is loading, a redirect to the home page if the user has no
 * admin role.
 */
export function AdminOnly({ anonymous, children }: AdminOnlyProps) {
  const { status, user } = useAuth()
  if (status === 'loading') return <PageSpinner />
  if (user?.role === 'admin') return children
  if (!user && anonymous === 'sign-in') return <SignInFirst />
  return <Navigate to="/" replace />
}

/** If the server is down, a redirect to the sign-in page would show the browser's own error page instead of this one. */
const isServerThere = () =>
  fetch('/api/auth/user', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

function SignInFirst() {
  const [offline, setOffline] = useState(false)
  useEffect(() => {
    const leave = async () => {
      const answers = await isServerThere()
      setOffline(!answers)
      if (answers) location.assign(signInAddress())
    }
    showToast({ title: authTexts.authenticationRequired, kind: 'destructive' })
    const redirect = setTimeout(() => void leave(), adminRedirectMs)
    const stop = listen(window, ['online'], () => void leave())
    return () => {
      clearTimeout(redirect)
      stop()
    }
  }, [])
  return (
    <div className="page flex min-h-[60vh] flex-col items-center justify-center gap-6 text-center">
      <h1 className="text-title">Admin Panel</h1>
      <output className="measure block text-soft">
        {offline
          ? 'You’re offline. Signing in needs a connection; this page continues by itself when you’re back online.'
          : 'Please sign in as an administrator to continue.'}
      </output>
      <Link to="/" className={buttonClass()}>
        Log In
      </Link>
    </div>
  )
}
