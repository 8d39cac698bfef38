import { defaultRole } from '@fellowship/schema/auth/auth.limits'
import { type ManagedUser, newUser, userChanges } from '@fellowship/schema/users/users.contract'
import { userTexts } from '@fellowship/schema/users/users.texts'
import { KeyRound, LockOpen, Pencil, Plus, Trash2 } from 'lucide-react'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { shownMoment } from '../../lib/shown-moment.ts'
import { changedSince, useZodForm } from '../../lib/zod.form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadFailure } from '../../ui/loaded.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { PasswordAdvice } from '../auth/password-advice.form.tsx'
import { useDeleteUser, useSaveUser, useUnlockUser, useUsers } from './users-queries.admin.ts'

export function UserList() {
  const edit = (user?: ManagedUser) => openHeld(UserForm, { user })
  return (
    <Section
      title="People with an account"
      description="Users manage the teachings. Administrators manage everything else as well."
      actions={
        <Button icon={Plus} onClick={() => edit()}>
          Add User
        </Button>
      }
    >
      <List onEdit={edit} onDelete={(user) => openHeld(DeleteUser, { user })} />
    </Section>
  )
}

interface ListProps {
  onEdit: (user: ManagedUser) => void
  onDelete: (user: ManagedUser) => void
}

function List(props: ListProps) {
  const { data, error, refetch } = useUsers()
  if (data && data.length === 0) return <EmptyState title={userTexts.none} />
  if (data) {
    return (
      <ul className="grid gap-3">
        {data.map((user) => (
          <li key={user.id}>
            <UserRow user={user} {...props} />
          </li>
        ))}
      </ul>
    )
  }
  if (error) {
    return <LoadFailure sentence={userTexts.loadFailed(error.message)} onRetry={() => void refetch()} />
  }
  return (
    <div className="grid gap-3">
      <output className="sr-only">Loading the users</output>
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-24 w-full" />
    </div>
  )
}

function UserRow({ user, onEdit, onDelete }: ListProps & { user: ManagedUser }) {
  const { user: me } = useAuth()
  const unlock = useUnlockUser()
  const { name, email, role, isActive, lockedUntil } = user
  return (
    <Card className="admin-box flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="text-xl wrap-anywhere">
          {name}
          {me?.id === user.id && <span className="font-sans text-base text-soft"> (you)</span>}
        </h3>
        <p className="wrap-anywhere text-soft">{email}</p>
        {lockedUntil && (
          <p className="mt-2 text-small text-brick">
            Locked by wrong passwords until {shownMoment(lockedUntil, 'time')}.
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Badge tone={role === 'admin' ? 'wheat' : 'plain'}>
          {role === 'admin' && <KeyRound className="size-4" />}
          {role}
        </Badge>
        <Badge tone={isActive ? 'leaf' : 'brick'}>{isActive ? 'Active' : 'Inactive'}</Badge>
        {lockedUntil && <Badge tone="brick">Locked</Badge>}
      </div>
      <div className="ml-auto flex items-center">
        {lockedUntil && (
          <Button
            icon={LockOpen}
            kind="quiet"
            className="px-3"
            pending={unlock.isPending}
            onClick={() => unlock.mutate(user)}
            aria-label={`Unlock ${name}`}
          >
            Unlock
          </Button>
        )}
        <IconButton label={`Edit ${name}`} icon={Pencil} onClick={() => onEdit(user)} />
        <IconButton kind="danger" label={`Delete ${name}`} icon={Trash2} onClick={() => onDelete(user)} />
      </div>
    </Card>
  )
}

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

function DeleteUser({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const remove = useDeleteUser()
  return (
    <ConfirmDialog
      title="Delete User"
      question={userTexts.confirmDelete(user.name)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(user, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}
