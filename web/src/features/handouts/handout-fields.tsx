import { type Handout, shownHandout } from '@fellowship/schema/handouts/handout-file'
import { handouts as calls } from '@fellowship/schema/handouts/handouts.contract'
import { handoutLimits as limits, handoutMimes } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { useOnline } from '../../lib/use-online.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { showToast } from '../../ui/toast.ts'
import { HandoutWords } from './handout-list.tsx'

interface HandoutFieldsProps {
  teaching: Pick<Teaching, 'id' | 'uid' | 'handouts'>
}

/** The handouts of a teaching, in its form. Each change is sent at once: files do not go through the outbox. */
export function HandoutFields({ teaching }: HandoutFieldsProps) {
  const online = useOnline()
  const [shown, setShown] = useState<readonly Handout[]>(teaching.handouts ?? [])
  const [removed, setRemoved] = useState<Handout>()
  const change = useMutation(
    {
      mutationFn: async (send: () => Promise<Pick<Teaching, 'handouts'>>) => {
        setShown((await send()).handouts ?? [])
        // It is saved; if the connection drops now, the next sync fetches it.
        void syncSession()
          .pull()
          .catch(() => undefined)
      },
      // The form may be closed by then.
      onError: (error: Error) => {
        if (isUnauthorized(error)) return
        showToast({ title: texts.failed, description: sentenceOfError(error), kind: 'destructive' })
      },
    },
    queryClient,
  )
  const input = { params: { id: teaching.id }, query: { uid: teaching.uid } }
  const add = (file: File) =>
    change.mutate(async () => {
      if (file.size > limits.bytes) throw new Error(texts.tooLarge)
      return call(calls.add, {
        ...input,
        files: { handout: file },
        signal: AbortSignal.timeout(uploadTimeoutMs),
      })
    })
  const remove = ({ hash }: Handout) =>
    change.mutate(() => call(calls.remove, { ...input, params: { ...input.params, hash } }), {
      onSettled: () => setRemoved(undefined),
    })
  const isFull = shown.length >= limits.most
  return (
    <fieldset className="min-w-0">
      <legend className="text-small font-medium">
        Handouts <span className="font-normal text-soft">(optional)</span>
      </legend>
      <ul className="mt-1.5 mb-3 divide-y divide-line empty:hidden">
        {shown.map((handout) => (
          <li key={handout.hash} className="flex items-center gap-4 py-1.5">
            <HandoutWords handout={handout} />
            <IconButton
              kind="danger"
              label={`Remove ${shownHandout(handout)}`}
              icon={Trash2}
              disabled={!online || change.isPending}
              onClick={() => setRemoved(handout)}
            />
          </li>
        ))}
      </ul>
      {isFull ? (
        <p className="text-small text-soft">{texts.full}</p>
      ) : (
        <Field
          label="Add handout"
          error={change.error ? sentenceOfError(change.error) : undefined}
          hint={online ? texts.hint : texts.offline}
        >
          {(control) => (
            <FileInput
              {...control}
              accept={handoutMimes}
              disabled={!online || change.isPending}
              onChange={({ currentTarget: { files }, currentTarget }) => {
                const file = files?.[0]
                if (file) add(file)
                currentTarget.value = ''
              }}
            />
          )}
        </Field>
      )}
      {change.isPending && <Spinner label="Saving the handouts" />}
      {removed && (
        <ConfirmDialog
          title="Remove handout"
          question={texts.confirmRemoval(shownHandout(removed))}
          confirmLabel="Remove"
          pending={change.isPending}
          pendingLabel="Removing..."
          onConfirm={() => remove(removed)}
          onCancel={() => setRemoved(undefined)}
        />
      )}
    </fieldset>
  )
}
