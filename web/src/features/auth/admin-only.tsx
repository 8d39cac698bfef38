import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { Link, Navigate } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { signInAddress } from '../../lib/sign-in-address.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageSpinner } from '../../ui/spinner.tsx'
import { adminRedirectMs } from './auth.timings.ts'
import { showToast } from '../../ui/toast.ts'
import { useAuth } from './auth-context.tsx'

interface AdminOnlyProps {
  /** Where a visitor who is not signed in is sent: the home page, or a toast and the sign-in page. */
  anonymous: 'home' | 'sign-in'
  children: ReactNode
}

/** Guards a page of the administration: a spinner while the user is loading, the home page for a user without the role. */
export function AdminOnly({ anonymous, children }: AdminOnlyProps) {
  const { status, user } = useAuth()
  if (status === 'loading') return <PageSpinner />
  if (user?.role === 'admin') return children
  if (!user && anonymous === 'sign-in') return <SignInFirst />
  return <Navigate to="/" replace />
}

function SignInFirst() {
  useEffect(() => {
    showToast({ title: authTexts.authenticationRequired, kind: 'destructive' })
    const redirect = setTimeout(() => location.assign(signInAddress()), adminRedirectMs)
    return () => clearTimeout(redirect)
  }, [])
  return (
    <div className="page flex min-h-[60vh] flex-col items-center justify-center gap-6 text-center">
      <h1 className="text-title">Admin Panel</h1>
      <p className="text-soft">Please sign in as an administrator to continue.</p>
      <Link to="/" className={buttonClass()}>
        Log In
      </Link>
    </div>
  )
}
