import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { noteShownSound } from './shown-sounds.ts'
import type { SoundAnswer } from './sound.worker.ts'

interface Check {
  of: File
  share: number
  heard?: Heard | undefined
  isOver?: true
}

interface Heard {
  readonly faults: readonly SoundFault[]
  readonly notes: readonly string[]
  /** The reason if the file is no recording. */
  readonly refused?: string
}

interface SoundCheckProps {
  file: File
  /** The file that is sent: another one if it was made smaller. */
  sent: File
  /** Called again once the file was read; until then it counts as a recording. */
  onRead?: (isRecording: boolean) => void
}

/**
 * Checks the sound of a chosen recording before it is sent. Faults are only shown: the recording can be sent at any time.
 * The server asks about those that were not shown.
 */
export function SoundCheck({ file, sent, onRead }: SoundCheckProps) {
  const check = useCheck(file)
  const heard = check?.heard
  useEffect(() => {
    if (heard) noteShownSound(sent)
    onRead?.(heard?.refused === undefined)
  }, [heard, sent, onRead])
  if (!check) return null
  return (
    <>
      {!check.isOver && (
        <p className="text-small text-soft tabular-nums">{copyTexts.checking(check.share)}</p>
      )}
      <output className="block text-small">
        {check.isOver && (heard ? <Found {...heard} /> : copyTexts.notChecked)}
      </output>
    </>
  )
}

function Found({ faults, notes, refused }: Heard) {
  const words = refused ? [refused] : [...faults.map((fault) => copyTexts.faults[fault]), ...notes]
  const isFine = words.length === 0
  const lines = isFine ? [copyTexts.soundsFine] : words
  const canBeTrimmed = faults.includes('silent_start') || faults.includes('silent_end')
  const Icon = isFine ? CircleCheck : TriangleAlert
  return (
    <span className="flex items-start gap-2">
      <Icon
        aria-hidden="true"
        className={isFine ? 'mt-0.5 size-5 shrink-0 text-leaf' : 'mt-0.5 size-5 shrink-0 text-wheat-text'}
      />
      <span className="min-w-0">
        {[...lines, ...(canBeTrimmed ? [copyTexts.trimLater] : [])].map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </span>
    </span>
  )
}

function useCheck(file: File): Check | undefined {
  const [check, setCheck] = useState<Check>()
  useEffect(() => {
    if (typeof Worker === 'undefined') return
    const stop = new AbortController()
    const update = (progress: Omit<Check, 'of'>) => {
      if (!stop.signal.aborted) setCheck({ of: file, ...progress })
    }
    void checkSound(file, stop.signal, (share) => update({ share })).then((heard) =>
      update({ share: 1, heard, isOver: true }),
    )
    return () => stop.abort()
  }, [file])
  return check?.of === file ? check : undefined
}

/**
 * Finds the faults of a recording in a worker; one recording at a time, in the order of the calls.
 *
 * @param onShare called with the share that was read, from 0 to 1
 * @returns undefined if this browser cannot read it, or `signal` was aborted
 */
function checkSound(
  file: File,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<Heard | undefined> {
  const checked = before.then(() => (signal.aborted ? undefined : ask(file, signal, onShare)))
  before = checked
  return checked
}

/** Never rejects. */
let before: Promise<unknown> = Promise.resolve()

function ask(file: File, signal: AbortSignal, onShare: (share: number) => void): Promise<Heard | undefined> {
  const worker = new Worker(new URL('./sound.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Heard | undefined>((resolve) => {
    const fail = () => resolve(undefined)
    worker.addEventListener('message', ({ data }: MessageEvent<SoundAnswer>) => {
      if (data.kind === 'share') onShare(data.share)
      else if (data.kind === 'refused') resolve({ faults: [], notes: [], refused: data.sentence })
      else resolve(data.kind === 'heard' ? data : undefined)
    })
    worker.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
