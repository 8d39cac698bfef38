import { useLocation } from '@tanstack/react-router'
import { VerifyEmailCard } from '../features/auth/verify-email-card.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'

/** /verify-email: the page of the confirmation mail's link, with its token behind '#'. */
export function VerifyEmail() {
  usePageTitle('Confirm your email address')
  const token = useLocation({ select: (location) => location.hash })
  return (
    <div className="page pt-6 pb-20 lg:pt-12">
      <div className="mx-auto max-w-lg">
        <h1 className="mb-8 text-title">Confirm your email address</h1>
        <VerifyEmailCard key={token} token={token} />
      </div>
    </div>
  )
}
