import { maxUploadMegabytes } from '@fellowship/schema/uploads/uploads.limits'
import { Upload } from 'lucide-react'
import { useEffect, useId, useState, type DragEvent } from 'react'
import { classNames } from '../../lib/class-names.ts'

interface DropZoneProps {
  /** Compact layout, once files are chosen. */
  small: boolean
  /** Whether files are chosen already. */
  again: boolean
  disabled: boolean
  onFiles: (files: readonly File[]) => void
}

/** A drop target for audio files that is also a file picker. */
export function DropZone({ small, again, disabled, onFiles }: DropZoneProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  useNoStrayDrops()
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!disabled) onFiles([...event.dataTransfer.files])
  }
  return (
    <div
      className={classNames(
        'relative flex items-center gap-2 rounded-card border-2 border-dashed px-5 text-center transition-colors',
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-pine',
        'has-disabled:opacity-60',
        small ? 'min-h-14 justify-center py-3' : 'flex-col py-7',
        over ? 'border-pine bg-pine-tint' : 'border-line-strong hover:border-pine hover:bg-pine-tint/50',
      )}
    >
      <Upload
        aria-hidden="true"
        className={classNames('shrink-0 text-wheat-text', small ? 'size-5' : 'size-8')}
        strokeWidth={1.5}
      />
      {small ? (
        <p id={`${id}-text`} className="text-small font-medium">
          {again ? 'Add more recordings' : 'Drop an audio file here'}
        </p>
      ) : (
        <p id={`${id}-text`}>
          <span className="block font-medium">Drop an audio file here</span>
          <span className="text-small text-soft">
            or choose one or several: MP3, WAV or M4A, up to {maxUploadMegabytes} MB each
          </span>
        </p>
      )}
      {/* The transparent input covers the zone, so that it handles clicks, keys and drops. */}
      <input
        type="file"
        accept="audio/*"
        multiple
        disabled={disabled}
        aria-label="Audio file"
        aria-describedby={`${id}-text`}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // Without a reset, choosing a removed file again fires no change event.
          currentTarget.value = ''
        }}
        onDragEnter={() => setOver(!disabled)}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      />
    </div>
  )
}

/** Cancels drops outside the zone: the browser would navigate to the file and lose the form. */
function useNoStrayDrops(): void {
  useEffect(() => {
    const ignore = (event: Event) => event.preventDefault()
    addEventListener('dragover', ignore)
    addEventListener('drop', ignore)
    return () => {
      removeEventListener('dragover', ignore)
      removeEventListener('drop', ignore)
    }
  }, [])
}
