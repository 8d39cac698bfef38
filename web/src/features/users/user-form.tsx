import { defaultRole } from '@fellowship/schema/auth/auth.limits'
import { newUser, userChanges, type ManagedUser } from '@fellowship/schema/users/users.schema'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { changedSince, useZodForm } from '../../lib/zod.form.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { PasswordAdvice } from '../auth/password-advice.form.tsx'
import { useSaveUser } from './users-queries.admin.ts'

interface UserFormProps {
  /** `undefined` for a new account. */
  user: ManagedUser | undefined
  onClose: () => void
}

/** 'Add User' and 'Edit User'. On edit a blank password keeps the current one. */
export function UserForm({ user, onClose }: UserFormProps) {
  const { user: me } = useAuth()
  const form = useZodForm(user ? editing : creating, shownFields(user))
  const { errors, isDirty } = form.formState
  const password = useWatch({ control: form.control, name: 'password' })
  const save = useSaveUser()
  const submit = form.handleSubmit(({ isActive, ...fields }) =>
    save.mutate(
      user
        ? // Unchanged fields are not sent, so that they do not undo a change of another administrator.
          { id: user.id, fields: changedSince(shownFields(user), form.getValues(), { ...fields, isActive }) }
        : { id: undefined, fields: { ...fields, password: fields.password ?? '' } },
      { onSuccess: onClose },
    ),
  )
  return (
    <FormDialog
      title={user ? 'Edit User' : 'Add User'}
      onSubmit={submit}
      onClose={onClose}
      dirty={isDirty}
      submitLabel={user ? 'Save' : 'Create User'}
      pending={save.isPending}
      pendingLabel={user ? 'Saving...' : 'Creating...'}
      problem={save.error}
    >
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
          <PasswordInput {...control} autoComplete="new-password" {...form.register('password')} />
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
              Without it this person is signed out and cannot sign in.
            </span>
          </span>
        </label>
      )}
      {user && user.id === me?.id && (
        <p className="text-small text-soft">
          This is your own account: with a new password your other devices are signed out.
        </p>
      )}
    </FormDialog>
  )
}

const shownFields = (user: ManagedUser | undefined) => ({
  name: user?.name ?? '',
  email: user?.email ?? '',
  password: '',
  role: user?.role ?? defaultRole,
  isActive: user?.isActive ?? true,
})

/** Creating and editing share a form; only a new account requires a password. */
const schemaWith = (password: z.ZodType<string | undefined>) =>
  newUser.extend({ password, isActive: z.boolean() })
const creating = schemaWith(newUser.shape.password)
const editing = schemaWith(userChanges.shape.password.unwrap())
