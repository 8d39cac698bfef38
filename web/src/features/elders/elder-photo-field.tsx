import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { useEffect, useId, type ChangeEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.ts'
import { ElderPicture } from './elder-picture.tsx'

/** What is to become of the photo when the form is saved. */
export type PhotoChoice = { file: File; preview: string } | 'keep' | 'remove'

interface PhotoFieldProps {
  /** The photo there is. */
  imageUrl: string | null
  choice: PhotoChoice
  onChoose: (choice: PhotoChoice) => void
}

/** The photo as it will be, and the ways to change it. What is no photo, or too large, is refused at once (SPEC §5). */
export function PhotoField({ imageUrl, choice, onChoose }: PhotoFieldProps) {
  const id = useId()
  const preview = typeof choice === 'string' ? undefined : choice.preview
  // The address of a preview holds the file in memory until it is given back.
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview])
  const present = choice !== 'remove' && (preview ?? imageUrl)
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    const refusal = refusalOf(file)
    if (refusal) showToast({ ...refusal, kind: 'destructive' })
    else onChoose({ file, preview: URL.createObjectURL(file) })
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
        <input
          id={id}
          type="file"
          accept={elderPhoto.types.join(',')}
          aria-describedby={`${id}-hint`}
          onChange={pick}
          className="w-full text-small text-soft file:mr-4 file:min-h-11 file:cursor-pointer file:rounded-card file:border file:border-solid file:border-line-strong file:bg-raised file:px-4 file:font-medium file:text-ink"
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

function refusalOf(file: File) {
  if (!elderPhoto.types.some((type) => type === file.type)) return elderTexts.invalidFileType
  return file.size < elderPhoto.maxBytes ? undefined : elderTexts.fileTooLarge
}
