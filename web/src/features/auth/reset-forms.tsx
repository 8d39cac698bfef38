import { forgottenPassword, passwordReset } from '@fellowship/schema/auth/auth.schema'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { PasswordAdvice } from './password-advice.form.tsx'

/** Requests the reset mail. The answer does not reveal whether the account exists. */
export function ForgotPasswordForm() {
  const form = useZodForm(forgottenPassword, { email: '' })
  const { errors } = form.formState
  const request = useMutation(
    { mutationFn: (body: { email: string }) => call(auth.forgotPassword, { body }) },
    queryClient,
  )
  const submit = form.handleSubmit((body) => request.mutate(body))
  if (request.isSuccess) {
    const { title, description } = authTexts.resetAsked
    return (
      <Banner tone="leaf" title={title}>
        {description}
      </Banner>
    )
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Field label="Email" error={errors.email?.message}>
        {(control) => <Input {...control} type="email" autoComplete="username" {...form.register('email')} />}
      </Field>
      {request.error && <FormProblem>{sentenceOfError(request.error)}</FormProblem>}
      <Button type="submit" className="self-start" pending={request.isPending} pendingLabel="Sending...">
        Send me a link
      </Button>
    </form>
  )
}

/** Sets a new password by the token of the mail. */
export function NewPasswordForm({ token, onDone }: { token: string; onDone: () => void }) {
  const form = useZodForm(passwordReset, { token, password: '' })
  const { errors } = form.formState
  const password = useWatch({ control: form.control, name: 'password' })
  const reset = useMutation(
    {
      mutationFn: (body: { token: string; password: string }) => call(auth.resetPassword, { body }),
      onSuccess: onDone,
    },
    queryClient,
  )
  const submit = form.handleSubmit((body) => reset.mutate(body))
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Field
        label="New password"
        error={errors.password?.message}
        hint={<PasswordAdvice password={password} />}
      >
        {(control) => (
          <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />
        )}
      </Field>
      {(reset.error ?? errors.token) && (
        <FormProblem>{errors.token?.message ?? sentenceOfError(reset.error)}</FormProblem>
      )}
      <Button type="submit" className="self-start" pending={reset.isPending} pendingLabel="Saving...">
        Save the new password
      </Button>
    </form>
  )
}
