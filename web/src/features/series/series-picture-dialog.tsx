import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { series as calls } from '@fellowship/schema/series/series.contract'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { useMutation } from '@tanstack/react-query'
import { useId, useState, type ChangeEvent } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { useOnline } from '../../lib/use-online.ts'
import { Button } from '../../ui/button.tsx'
import { Cover } from '../../ui/cover.view.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { chosenPicture, useRevokedPreview, type ChosenPicture } from '../../ui/chosen-picture.ts'

/** Sets or removes the picture of a series. It is sent at once: pictures do not go through the outbox. */
export function SeriesPictureDialog({ series, onClose }: { series: Series; onClose: () => void }) {
  const id = useId()
  const online = useOnline()
  const [chosen, setChosen] = useState<ChosenPicture>()
  useRevokedPreview(chosen?.preview)
  const save = useMutation(
    {
      mutationFn: (picture: File | null) => send(series, picture),
      onSuccess: (_, picture) => {
        onClose()
        showToast({ title: picture ? seriesTexts.pictureSaved : seriesTexts.pictureRemoved })
      },
      onError: (error: Error) => {
        if (isUnauthorized(error)) return
        showToast({
          title: seriesTexts.pictureFailed,
          description: sentenceOfError(error),
          kind: 'destructive',
        })
      },
    },
    queryClient,
  )
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const picture = chosenPicture(event)
    if (picture) setChosen(picture)
  }
  return (
    <FormDialog
      title="Picture"
      description={series.title}
      onSubmit={async (event) => {
        event.preventDefault()
        if (chosen) save.mutate(chosen.file)
      }}
      onClose={onClose}
      dirty={chosen !== undefined}
      submitLabel="Save"
      submittable={online && chosen !== undefined}
      pending={save.isPending}
      pendingLabel="Saving..."
      problem={save.error}
    >
      {chosen ? (
        <img
          src={chosen.preview}
          alt="As it will be shown"
          className="aspect-square w-full max-w-64 rounded-card bg-sunk object-cover"
        />
      ) : (
        <Cover kind="series" {...series} sizes="16rem" className="w-full max-w-64" />
      )}
      <div>
        <label htmlFor={id} className="text-small font-medium text-ink">
          {series.imageUrl ? 'Another picture' : 'Picture'}
        </label>
        <FileInput
          id={id}
          accept={elderPhoto.types.join(',')}
          aria-describedby={`${id}-hint`}
          onChange={pick}
        />
        <p id={`${id}-hint`} className="mt-1.5 text-small text-soft">
          {seriesTexts.pictureHint}
        </p>
      </div>
      <output className="text-small text-brick">{!online && seriesTexts.pictureOffline}</output>
      {series.imageUrl && !chosen && (
        <div>
          <Button kind="quiet" disabled={!online || save.isPending} onClick={() => save.mutate(null)}>
            Remove the picture
          </Button>
        </div>
      )}
    </FormDialog>
  )
}

/** Sends the picture, then pulls into the replica. */
async function send({ uid }: Series, picture: File | null): Promise<void> {
  const params = { uid }
  if (picture)
    await call(calls.picture, { params, files: { picture }, signal: AbortSignal.timeout(uploadTimeoutMs) })
  else await call(calls.removePicture, { params })
  // The picture is saved; if the connection drops now, the next sync fetches it.
  await syncSession()
    .pull()
    .catch(() => undefined)
}
