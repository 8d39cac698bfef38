import { login } from '@fellowship/schema/auth/auth.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { Link } from '@tanstack/react-router'
import { useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { useLogin } from './auth.queries.ts'

/** Email and password. The error stays below the fields after its toast has closed. */
export function SignInForm({ onSignedIn, onLeave }: { onSignedIn: () => void; onLeave: () => void }) {
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
