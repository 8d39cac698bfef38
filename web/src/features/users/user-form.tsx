import { defaultRole } from '@fellowship/schema/auth/auth.limits'
import { newUser, userChanges, type ManagedUser } from '@fellowship/schema/users/users.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { holdPage } from '../../lib/busy.ts'
import { changedSince, useZodForm } from '../../lib/zod-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { PasswordAdvice } from '../auth/password-advice.tsx'
import { useSaveUser } from './users.queries.ts'

interface UserFormProps {
  /** Undefined: a new one. */
  user: ManagedUser | undefined
  onClose: () => void
}

/** 'Add User' and 'Edit User'. On edit a blank password keeps the current one. */
export function UserForm({ user, onClose }: UserFormProps) {
  const { user: me } = useAuth()
  const form = useZodForm(user ? editing : creating, shown(user))
  const { errors } = form.formState
  const password = useWatch({ control: form.control, name: 'password' })
  const save = useSaveUser()
  useEffect(() => holdPage(), [])
  const submit = form.handleSubmit(({ isActive, ...fields }) =>
    save.mutate(
      user
        ? // What another administrator changed meanwhile, such as who may sign in, is not taken back.
          { id: user.id, fields: changedSince(shown(user), form.getValues(), { ...fields, isActive }) }
        : { id: undefined, fields: { ...fields, password: fields.password ?? '' } },
      { onSuccess: onClose },
    ),
  )
  return (
    <Dialog title={user ? 'Edit User' : 'Add User'} onClose={onClose} closable={!save.isPending}>
      <form noValidate onSubmit={(event) => void submit(event)} className="mt-5 flex flex-col gap-4">
        <Field label="Name" error={errors.name?.message}>
          {(control) => <Input {...control} autoComplete="off" data-autofocus {...form.register('name')} />}
        </Field>
        <Field label="Email" error={errors.email?.message}>
          {(control) => <Input {...control} type="email" autoComplete="off" {...form.register('email')} />}
        </Field>
        <Field
          label={user ? 'New password' : 'Password'}
          optional={user !== undefined}
          error={errors.password?.message}
          hint={
            <>
              {user && <p className="mb-1">Leave it blank to keep the current one.</p>}
              <PasswordAdvice password={typeof password === 'string' ? password : ''} />
            </>
          }
        >
          {(control) => (
            <Input {...control} type="password" autoComplete="new-password" {...form.register('password')} />
          )}
        </Field>
        <Field label="Role" error={errors.role?.message}>
          {(control) => (
            <Select {...control} {...form.register('role')}>
              <option value="user">user: the teachings</option>
              <option value="admin">admin: everything</option>
            </Select>
          )}
        </Field>
        {user && (
          <label className="flex min-h-11 items-center gap-3">
            <input type="checkbox" className="size-5 accent-pine" {...form.register('isActive')} />
            <span>
              Active
              <span className="block text-small text-soft">
                Without it this person is signed out at once and cannot sign in.
              </span>
            </span>
          </label>
        )}
        {user && user.id === me?.id && (
          <p className="text-small text-soft">
            This is your own account: with a new password your other devices are signed out.
          </p>
        )}
        {save.error && <FormProblem toasted>{sentenceOfError(save.error)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" pending={save.isPending} pendingLabel={user ? 'Saving...' : 'Creating...'}>
            {user ? 'Save' : 'Create User'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const shown = (user: ManagedUser | undefined) => ({
  name: user?.name ?? '',
  email: user?.email ?? '',
  password: '',
  role: user?.role ?? defaultRole,
  isActive: user?.isActive ?? true,
})

/** One form for both: only whether a password must be given differs. */
const formOf = (password: z.ZodType<string | undefined>) =>
  newUser.extend({ password, isActive: z.boolean() })
const creating = formOf(newUser.shape.password)
const editing = formOf(userChanges.shape.password.unwrap())
