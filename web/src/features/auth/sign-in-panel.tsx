import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DropdownPanel } from '../../ui/dropdown-panel.tsx'
import { useAuth } from './auth-context.tsx'
import { RegisterForm } from './register-form.tsx'
import { SignInForm } from './sign-in-form.tsx'

interface SignInPanelProps {
  onClose: () => void
  /** Called after signing in or registering; the caller closes the panel. */
  onSignedIn: () => void
}

/** The panel under the navigation: sign-in, and registration if it is open. */
export function SignInPanel({ onClose, onSignedIn }: SignInPanelProps) {
  const { registrationOpen } = useAuth()
  const [registering, setRegistering] = useState(false)
  if (registering && registrationOpen) {
    return (
      <DropdownPanel label="Create an account" onClose={onClose}>
        <RegisterForm onSignedIn={onSignedIn} />
        <Switch question="Already have an account?" label="Sign in" onClick={() => setRegistering(false)} />
      </DropdownPanel>
    )
  }
  return (
    <DropdownPanel label="Sign In" onClose={onClose}>
      <SignInForm onSignedIn={onSignedIn} onLeave={onClose} />
      {registrationOpen && (
        <Switch question="New here?" label="Create an account" onClick={() => setRegistering(true)} />
      )}
    </DropdownPanel>
  )
}

function Switch({ question, label, onClick }: { question: string; label: string; onClick: () => void }) {
  return (
    <p className="mt-5 flex flex-wrap items-center justify-center gap-x-1 border-t border-line pt-3 text-small text-soft">
      {question}
      <Button kind="quiet" className="px-2 text-small" onClick={onClick}>
        {label}
      </Button>
    </p>
  )
}
