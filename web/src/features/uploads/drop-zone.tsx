import { FileAudio, Upload } from 'lucide-react'
import { useEffect, useId, useRef, useState, type DragEvent } from 'react'
import { classNames } from '../../lib/class-names.ts'

interface DropZoneProps {
  file: File | null
  disabled: boolean
  onFile: (file: File) => void
}

/** A place to drop a recording on, and a file picker for everyone who does not drag. */
export function DropZone({ file, disabled, onFile }: DropZoneProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useNoStrayDrops()
  // A chosen file that was cleared must be choosable again.
  useEffect(() => {
    if (!file && input.current) input.current.value = ''
  }, [file])
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const dropped = event.dataTransfer.files[0]
    if (dropped && !disabled) onFile(dropped)
  }
  const Icon = file ? FileAudio : Upload
  return (
    <div
      className={classNames(
        'relative flex flex-col items-center gap-2 rounded-card border-2 border-dashed px-5 py-7 text-center transition-colors',
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-pine',
        'has-disabled:opacity-60',
        over ? 'border-pine bg-pine-tint' : 'border-line-strong hover:border-pine hover:bg-pine-tint/50',
      )}
    >
      <Icon aria-hidden="true" className="size-8 text-wheat-text" strokeWidth={1.5} />
      {file ? (
        <p id={`${id}-text`} className="w-full">
          <span className="block text-base font-medium wrap-anywhere">{file.name}</span>
          <span className="text-small text-soft">{sizeInMb(file.size)} – choose another file</span>
        </p>
      ) : (
        <p id={`${id}-text`}>
          <span className="block font-medium">Drop an audio file here</span>
          <span className="text-small text-soft">or choose one: MP3, WAV or M4A, up to 100 MB</span>
        </p>
      )}
      {/* The input itself lies over the zone: it takes taps, keys and dropped files alike. */}
      <input
        ref={input}
        type="file"
        accept="audio/*"
        disabled={disabled}
        aria-label="Audio file"
        aria-describedby={`${id}-text`}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={(event) => {
          const chosen = event.target.files?.[0]
          if (chosen) onFile(chosen)
        }}
        onDragEnter={() => setOver(!disabled)}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      />
    </div>
  )
}

/** A file dropped beside the zone would replace the page, and with it what was entered. */
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

/** '14.2 MB'; what is smaller than the last digit is still something. */
export const sizeInMb = (bytes: number): string => `${Math.max(bytes / 1024 / 1024, 0.1).toFixed(1)} MB`
