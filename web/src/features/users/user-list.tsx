import type { ManagedUser } from '@fellowship/schema/users/users.schema'
import { userTexts } from '@fellowship/schema/users/users.texts'
import { KeyRound, LockOpen, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { UserForm } from './user-form.tsx'
import { useUnlockUser, useUsers } from './users-queries.admin.ts'
import { DeleteUser } from './delete-user.tsx'

/** All accounts, with buttons to add, edit, unlock and delete. */
export function UserList() {
  const [edited, setEdited] = useState<ManagedUser | 'new' | null>(null)
  const [deleted, setDeleted] = useState<ManagedUser | null>(null)
  return (
    <Section
      title="People with an account"
      description="Users manage the teachings. Administrators manage everything else as well."
      actions={
        <Button onClick={() => setEdited('new')}>
          <Plus aria-hidden="true" className="size-5" />
          Add User
        </Button>
      }
    >
      <List onEdit={setEdited} onDelete={setDeleted} />
      {edited && <UserForm user={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />}
      {deleted && <DeleteUser user={deleted} onClose={() => setDeleted(null)} />}
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
          {role === 'admin' && <KeyRound aria-hidden="true" className="size-4" />}
          {role}
        </Badge>
        <Badge tone={isActive ? 'leaf' : 'brick'}>{isActive ? 'Active' : 'Inactive'}</Badge>
        {lockedUntil && <Badge tone="brick">Locked</Badge>}
      </div>
      <div className="ml-auto flex items-center">
        {lockedUntil && (
          <Button
            kind="quiet"
            className="px-3"
            pending={unlock.isPending}
            onClick={() => unlock.mutate(user)}
            aria-label={`Unlock ${name}`}
          >
            <LockOpen aria-hidden="true" className="size-5" />
            Unlock
          </Button>
        )}
        <IconButton label={`Edit ${name}`} onClick={() => onEdit(user)}>
          <Pencil aria-hidden="true" className="size-5" />
        </IconButton>
        <IconButton kind="danger" label={`Delete ${name}`} onClick={() => onDelete(user)}>
          <Trash2 aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
    </Card>
  )
}
