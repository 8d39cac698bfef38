import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { type ChangeEvent, useId } from 'react'
import { Button } from './button.tsx'
import { FileInput } from './file-input.tsx'
import { FormProblem } from './form-problem.tsx'
import { Spinner } from './spinner.tsx'
import { showToast } from './toast.ts'

interface PictureFieldProps {
  label: string
  hint: string
  imageUrl: string | null | undefined
  /** In place of a picture that was not chosen yet. */
  none: string
  /** Accepted MIME types, and the toast for others; photos by default. */
  types?: readonly string[]
  refusal?: { title: string; description?: string }
  /** Shows the whole picture instead of filling the frame. */
  whole?: boolean
  pending: boolean
  error: Error | null
  /** Sends a chosen file at once; null removes the present picture. */
  onChange: (file: File | null) => void
}

/** A picture beside the control that replaces it. It is saved as it is chosen. */
export function PictureField({
  label,
  hint,
  imageUrl,
  none,
  types = elderPhoto.types,
  refusal = elderTexts.invalidFileType,
  whole = false,
  pending,
  error,
  onChange,
}: PictureFieldProps) {
  const id = useId()
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    if (file.size >= elderPhoto.maxBytes)
      return showToast({ ...elderTexts.fileTooLarge, kind: 'destructive' })
    if (types.every((type) => type !== file.type)) return showToast({ ...refusal, kind: 'destructive' })
    onChange(file)
  }
  return (
    <div className="flex flex-wrap items-center gap-5">
      <div className="flex h-16 w-24 shrink-0 items-center justify-center overflow-hidden rounded-card border border-line bg-paper text-small text-soft">
        {pending ? (
          <Spinner />
        ) : imageUrl ? (
          <img
            src={imageUrl}
            alt=""
            className={whole ? 'size-full object-contain p-1' : 'size-full object-cover'}
          />
        ) : (
          none
        )}
      </div>
      <div className="flex min-w-0 flex-1 basis-48 flex-col items-start gap-2">
        <label htmlFor={id} className="text-small font-medium text-ink">
          {label} <span className="font-normal text-soft">(optional)</span>
        </label>
        <FileInput
          id={id}
          accept={types.join(',')}
          aria-describedby={`${id}-hint`}
          disabled={pending}
          onChange={pick}
        />
        <p id={`${id}-hint`} className="text-small text-soft">
          {hint}
        </p>
        {imageUrl && !pending && (
          <Button
            kind="quiet"
            className="-ml-2 px-2 text-small"
            aria-label={`Remove: ${label}`}
            onClick={() => onChange(null)}
          >
            Remove
          </Button>
        )}
        {error && <FormProblem toasted>{sentenceOfError(error)}</FormProblem>}
      </div>
    </div>
  )
}
