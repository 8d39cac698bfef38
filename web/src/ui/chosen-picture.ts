import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { useEffect, type ChangeEvent } from 'react'
import { showToast } from './toast.ts'

/** A picture that was chosen and not sent yet, with an address to show it by. */
export interface ChosenPicture {
  file: File
  preview: string
}

/** The picture chosen in a file input, which may be chosen again; a wrong type or size is refused by a toast. */
export function chosenPicture(event: ChangeEvent<HTMLInputElement>): ChosenPicture | undefined {
  const file = event.target.files?.[0]
  event.target.value = ''
  if (!file) return undefined
  const refusal = refusalOf(file)
  if (!refusal) return { file, preview: URL.createObjectURL(file) }
  showToast({ ...refusal, kind: 'destructive' })
  return undefined
}

/** Revokes the address of a preview when it is no longer shown; until then the file stays in memory. */
export function useRevokedPreview(preview: string | undefined): void {
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview])
}

function refusalOf(file: File) {
  if (!elderPhoto.types.some((type) => type === file.type)) return elderTexts.invalidFileType
  return file.size < elderPhoto.maxBytes ? undefined : elderTexts.fileTooLarge
}
