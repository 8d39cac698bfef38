import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { SoundAnswer } from './sound.worker.ts'

interface Check {
  of: File
  share: number
  faults?: readonly SoundFault[] | undefined
  isOver?: true
}

/** Checks the sound of a chosen recording before it is sent. Faults are only shown: the recording can be sent at any time. */
export function SoundCheck({ file }: { file: File }) {
  const check = useCheck(file)
  if (!check || (check.isOver && !check.faults)) return null
  const { share, faults } = check
  return (
    <>
      {!faults && <p className="text-small text-soft tabular-nums">{copyTexts.checking(share)}</p>}
      <output className="block text-small">{faults && <Found faults={faults} />}</output>
    </>
  )
}

function Found({ faults }: { faults: readonly SoundFault[] }) {
  const lines = faults.length === 0 ? [copyTexts.soundsFine] : faults.map((fault) => copyTexts.faults[fault])
  const canBeTrimmed = faults.includes('silent_start') || faults.includes('silent_end')
  const Icon = faults.length === 0 ? CircleCheck : TriangleAlert
  return (
    <span className="flex items-start gap-2">
      <Icon
        aria-hidden="true"
        className={
          faults.length === 0 ? 'mt-0.5 size-5 shrink-0 text-leaf' : 'mt-0.5 size-5 shrink-0 text-wheat-text'
        }
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
    void checkSound(file, stop.signal, (share) => update({ share })).then((faults) =>
      update({ share: 1, faults, isOver: true }),
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
): Promise<readonly SoundFault[] | undefined> {
  const checked = before.then(() => (signal.aborted ? undefined : ask(file, signal, onShare)))
  before = checked
  return checked
}

/** Never rejects. */
let before: Promise<unknown> = Promise.resolve()

function ask(
  file: File,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<readonly SoundFault[] | undefined> {
  const worker = new Worker(new URL('./sound.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<readonly SoundFault[] | undefined>((resolve) => {
    const fail = () => resolve(undefined)
    worker.addEventListener('message', ({ data }: MessageEvent<SoundAnswer>) => {
      if (data.kind === 'share') onShare(data.share)
      else resolve(data.kind === 'heard' ? data.faults : undefined)
    })
    worker.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
