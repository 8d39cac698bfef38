import { registration } from '@fellowship/schema/auth/auth.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useWatch } from 'react-hook-form'
import { useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { useRegister } from './auth.queries.ts'
import { PasswordAdvice } from './password-advice.form.tsx'

/** Name, email and a new password. */
export function RegisterForm({ onSignedIn }: { onSignedIn: () => void }) {
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
