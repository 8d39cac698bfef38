import { login, registration } from '@fellowship/schema/auth/auth.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { DropdownPanel } from '../../ui/dropdown-panel.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { lazyPart, optional } from '../../ui/lazy-part.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { useAuth } from './auth-context.tsx'
import { useLogin, useRegister } from './auth.queries.ts'
import { PasswordAdvice } from './password-advice.form.tsx'

const WaitingWork = lazyPart(() => import('../sync/waiting-work.tsx'), 'WaitingWork', optional)

interface SignInPanelProps {
  onClose: () => void
  /** Whether it opens over a dialog, and not on the page. */
  overDialog?: boolean
  /** Called after signing in or registering; the caller closes the panel. */
  onSignedIn: () => void
}

/** The panel under the navigation: sign-in, and registration if it is open. */
export function SignInPanel({ onClose, overDialog = false, onSignedIn }: SignInPanelProps) {
  const { registrationOpen } = useAuth()
  const [registering, setRegistering] = useState(false)
  if (registering && registrationOpen) {
    return (
      <DropdownPanel label="Create an account" veiled={overDialog} onClose={onClose}>
        <RegisterForm onSignedIn={onSignedIn} />
        <Switch question="Already have an account?" label="Sign in" onClick={() => setRegistering(false)} />
      </DropdownPanel>
    )
  }
  return (
    <DropdownPanel label="Sign In" veiled={overDialog} onClose={onClose}>
      <SignInForm onSignedIn={onSignedIn} onLeave={onClose} />
      {registrationOpen && (
        <Switch question="New here?" label="Create an account" onClick={() => setRegistering(true)} />
      )}
    </DropdownPanel>
  )
}

function Switch({ question, label, onClick }: { question: string; label: string; onClick: () => void }) {
  return (
    <p className="mt-5 flex flex-wrap items-center justify-center gap-1 border-t border-line pt-3 text-small text-soft">
      {question}
      <Button kind="quiet" className="px-2 text-small" onClick={onClick}>
        {label}
      </Button>
    </p>
  )
}

/** Email and password. The error stays below the fields after its toast has closed. */
function SignInForm({ onSignedIn, onLeave }: { onSignedIn: () => void; onLeave: () => void }) {
  const { register, handleSubmit, reset, formState } = useZodForm(login, { email: '', password: '' })
  const { errors } = formState
  const signIn = useLogin()
  const submit = handleSubmit(async (values) => {
    // mutateAsync, because React Query drops the callbacks of `mutate` when the panel unmounts.
    const signedIn = await signIn.mutateAsync(values).catch(() => null)
    if (!signedIn) return
    reset()
    onSignedIn()
  })
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <div>
        <h2 className="text-2xl">Sign In</h2>
        <p className="text-soft">Access the admin panel</p>
        <WaitingWork />
      </div>
      <Field label="Email" error={errors.email?.message}>
        {(control) => (
          <Input {...control} type="email" autoComplete="username" data-autofocus {...register('email')} />
        )}
      </Field>
      <Field label="Password" error={errors.password?.message}>
        {(control) => (
          <PasswordInput {...control} autoComplete="current-password" {...register('password')} />
        )}
      </Field>
      {signIn.error && <FormProblem toasted>{sentenceOfError(signIn.error)}</FormProblem>}
      <Button type="submit" pending={signIn.isPending} pendingLabel="Signing In...">
        Sign In
      </Button>
      <Link
        to="/reset-password"
        onClick={onLeave}
        className="inline-flex min-h-11 items-center self-center text-small text-pine underline underline-offset-4"
      >
        Forgot your password?
      </Link>
    </form>
  )
}

function RegisterForm({ onSignedIn }: { onSignedIn: () => void }) {
  const form = useZodForm(registration, { name: '', email: '', password: '' })
  const { errors } = form.formState
  const password = useWatch({ control: form.control, name: 'password' })
  const register = useRegister()
  const submit = form.handleSubmit(async (values) => {
    // mutateAsync, because React Query drops the callbacks of `mutate` when the panel unmounts.
    const signedIn = await register.mutateAsync(values).catch(() => null)
    if (!signedIn) return
    form.reset()
    onSignedIn()
  })
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <div>
        <h2 className="text-2xl">Create an account</h2>
        <p className="text-soft">With an account you can manage the teachings.</p>
      </div>
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} autoComplete="name" data-autofocus {...form.register('name')} />}
      </Field>
      <Field label="Email" error={errors.email?.message}>
        {(control) => <Input {...control} type="email" autoComplete="username" {...form.register('email')} />}
      </Field>
      <Field label="Password" error={errors.password?.message} hint={<PasswordAdvice password={password} />}>
        {(control) => (
          <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />
        )}
      </Field>
      {register.error && <FormProblem toasted>{sentenceOfError(register.error)}</FormProblem>}
      <Button type="submit" pending={register.isPending} pendingLabel="Creating the account...">
        Create the account
      </Button>
    </form>
  )
}
