import { captionEndings } from '@fellowship/schema/transcripts/caption-names'
import { useLayoutEffect, useRef, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { FileInput, showFiles } from '../../ui/file-input.tsx'
import { readCaptionFile } from './caption-file.ts'

interface CaptionFieldProps {
  label: string
  optional?: boolean
  disabled?: boolean
  /** The file that was chosen before the field was unfolded, or dropped elsewhere. */
  chosen?: File | undefined
  /** Called at once, and again without a file if that cannot be read, which the field shows. */
  onChosen?: (file: File | undefined) => void
  /** Called with a file that can be read; the field is empty again then. */
  onRead?: (file: File) => void
}

const endings = captionEndings.map((ending) => `.${ending}`).join()

/** Chooses a file with the text of a recording. */
export function CaptionField({
  label,
  optional = false,
  disabled,
  chosen,
  onChosen,
  onRead,
}: CaptionFieldProps) {
  const [fault, setFault] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => showFiles(input.current, chosen ? [chosen] : []), [chosen])
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    setFault(undefined)
    onChosen?.(file)
    if (!file) return
    const found = await readCaptionFile(file).then(
      () => undefined,
      (error: Error) => `${file.name}: ${error.message}`,
    )
    if (input.files?.[0] !== file) return
    setFault(found)
    if (found === undefined) onRead?.(file)
    else onChosen?.(undefined)
    if (found !== undefined || onRead) input.value = ''
  }
  return (
    <Field
      label={label}
      optional={optional}
      error={chosen ? undefined : fault}
      hint="VTT, SRT, SBV or plain text, with or without times such as [12:34]."
    >
      {(control) => (
        <FileInput
          {...control}
          ref={input}
          accept={`${endings},text/vtt,text/plain,application/x-subrip`}
          disabled={disabled}
          onChange={({ currentTarget }) => void choose(currentTarget)}
        />
      )}
    </Field>
  )
}
