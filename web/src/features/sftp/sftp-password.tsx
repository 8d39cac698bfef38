import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useChangePassword, useShowPassword } from './sftp-queries.admin.ts'

/** The SFTP password: hidden, shown on request, or edited in a field prefilled with the current one. */
export function SftpPassword() {
  const show = useShowPassword()
  const [password, setPassword] = useState<string>()
  const [isEditing, setEditing] = useState(false)
  // Fetched every time, because another administrator may have changed it.
  const fetchPassword = (then: () => void) =>
    show.mutate(undefined, {
      onSuccess: (current) => {
        setPassword(current)
        then()
      },
    })
  return (
    <Card className="admin-box">
      <h3 className="text-xl">Password</h3>
      {isEditing && password !== undefined ? (
        <EditPassword
          current={password}
          onSaved={(saved) => {
            setPassword(saved)
            setEditing(false)
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          <div className="mt-3 flex min-h-11 items-center justify-between gap-3">
            <p className="min-w-0 font-mono wrap-anywhere">
              {password ?? <span aria-label="Hidden">••••••••••••</span>}
            </p>
            {password !== undefined && <CopyButton what="Password" text={password} />}
          </div>
          <div className="mt-3 flex flex-wrap gap-3">
            {password === undefined ? (
              <Button
                kind="secondary"
                onClick={() => fetchPassword(() => undefined)}
                pending={show.isPending}
              >
                Show Password
              </Button>
            ) : (
              <Button kind="secondary" onClick={() => setPassword(undefined)}>
                Hide Password
              </Button>
            )}
            <Button
              kind="quiet"
              onClick={() => fetchPassword(() => setEditing(true))}
              disabled={show.isPending}
            >
              Edit Password
            </Button>
          </div>
          <p className="mt-4 text-small text-soft">
            It is stored encrypted. The activity log records who viewed or changed it.
          </p>
        </>
      )}
    </Card>
  )
}

interface EditPasswordProps {
  current: string
  onSaved: (password: string) => void
  onCancel: () => void
}

function EditPassword({ current, onSaved, onCancel }: EditPasswordProps) {
  const change = useChangePassword()
  const [entered, setEntered] = useState(current)
  const isTooShort = entered.length < sftpAccount.passwordMinimum
  return (
    <form
      noValidate
      className="mt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isTooShort) change.mutate(entered, { onSuccess: () => onSaved(entered) })
      }}
    >
      <Field label="New password" error={isTooShort ? sftpTexts.passwordTooShort : undefined}>
        {(control) => (
          <Input
            {...control}
            className="font-mono"
            value={entered}
            autoComplete="off"
            spellCheck={false}
            maxLength={128}
            onChange={(event) => setEntered(event.target.value)}
          />
        )}
      </Field>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button type="submit" disabled={isTooShort} pending={change.isPending} pendingLabel="Saving...">
          Save
        </Button>
        <Button kind="secondary" onClick={onCancel} disabled={change.isPending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
