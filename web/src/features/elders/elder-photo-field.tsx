import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { useId, type ChangeEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { chosenPicture, useRevokedPreview, type ChosenPicture } from '../../ui/chosen-picture.ts'
import { ElderPicture } from './elder-picture.tsx'

/** The change of the photo when the form is saved. */
export type PhotoChoice = ChosenPicture | 'keep' | 'remove'

interface PhotoFieldProps {
  /** The current photo. */
  imageUrl: string | null
  choice: PhotoChoice
  onChoose: (choice: PhotoChoice) => void
}

/** A preview of the photo with the controls to replace or remove it. Choosing a wrong type or size is refused at once. */
export function PhotoField({ imageUrl, choice, onChoose }: PhotoFieldProps) {
  const id = useId()
  const preview = typeof choice === 'string' ? undefined : choice.preview
  useRevokedPreview(preview)
  const present = choice !== 'remove' && (preview ?? imageUrl)
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const picture = chosenPicture(event)
    if (picture) onChoose(picture)
  }
  return (
    <div className="flex flex-wrap items-center gap-5">
      <div className="w-24 shrink-0">
        {preview ? (
          <img
            src={preview}
            alt="As it will be shown"
            className="aspect-4/5 w-full rounded-card bg-sunk object-cover object-[50%_25%]"
          />
        ) : (
          <ElderPicture elder={{ imageUrl: choice === 'remove' ? null : imageUrl }} sizes="6rem" />
        )}
      </div>
      <div className="flex min-w-0 flex-1 basis-32 flex-col items-start gap-2">
        <label htmlFor={id} className="text-small font-medium text-ink">
          Photo <span className="font-normal text-soft">(optional)</span>
        </label>
        <FileInput
          id={id}
          accept={elderPhoto.types.join(',')}
          aria-describedby={`${id}-hint`}
          onChange={pick}
        />
        <p id={`${id}-hint`} className="text-small text-soft">
          JPEG, PNG or WebP, smaller than 5MB.
        </p>
        {present && (
          <Button kind="quiet" className="-ml-2 px-2 text-small" onClick={() => onChoose('remove')}>
            Remove the photo
          </Button>
        )}
      </div>
    </div>
  )
}
