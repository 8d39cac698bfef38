import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ForgotPasswordForm, NewPasswordForm } from '../features/auth/reset-forms.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'
import { buttonClass } from '../ui/button.tsx'
import { showToast } from '../ui/toast.ts'

/** /reset-password: sends the mail; its link, with the token behind '#', leads back here to choose the password. */
export function ResetPassword() {
  usePageTitle('Reset Password')
  const hash = useLocation({ select: (location) => location.hash })
  // The token for which the user requested a new link, which may be opened in this same tab.
  const [givenUp, setGivenUp] = useState('')
  const navigate = useNavigate()
  const choosing = hash !== givenUp && hash !== ''
  const done = () => {
    showToast(authTexts.resetDone)
    void navigate({ to: '/', search: { signin: '' } })
  }
  return (
    <div className="page pt-6 pb-20 lg:pt-12">
      <div className="mx-auto max-w-lg">
        <h1 className="text-title">{choosing ? 'Choose a new password' : 'Reset your password'}</h1>
        <p className="mt-4 mb-8 text-soft">
          {choosing
            ? 'Then sign in with it on every device.'
            : 'Tell us your email address, and we will send you a link to choose a new password.'}
        </p>
        {choosing ? <NewPasswordForm key={hash} token={hash} onDone={done} /> : <ForgotPasswordForm />}
        <div className="mt-8 flex flex-wrap gap-3">
          {choosing && (
            <button type="button" className={buttonClass('quiet', '-ml-5')} onClick={() => setGivenUp(hash)}>
              Ask for a new link
            </button>
          )}
          <Link to="/" className={buttonClass('quiet', choosing ? '' : '-ml-5')}>
            Back to the home page
          </Link>
        </div>
      </div>
    </div>
  )
}
