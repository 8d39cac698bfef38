import { counted } from '@fellowship/schema/counted'
import { maxUploadMegabytes } from '@fellowship/schema/uploads/uploads.limits'
import { useEffect, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { isTooLarge, sizeOf } from '../upload-file-checks.ts'
import { progressClass } from '../../../ui/progress-class.ts'
import { type Draft } from '../draft.ts'
import { type UploadFlowEvent } from '../upload-flow.ts'
import { measureSmaller } from './make-smaller.ts'

interface SmallerOfferProps {
  draft: Draft
  send: (event: UploadFlowEvent) => void
}

/** Offers to convert a WAV to MP3 below its name, with the saving, the progress, and a way back. */
export function SmallerOffer({ draft, send }: SmallerOfferProps) {
  const { id, file, original, making } = draft
  if (making !== undefined) return <Making draft={draft} send={send} />
  if (!original) return <Offer id={id} file={file} send={send} />
  return (
    <div className="flex flex-col gap-2 text-small">
      <output>
        Made smaller: {sizeOf(original.size)} → {sizeOf(file.size)}. Your original is unchanged.
      </output>
      {!isTooLarge(original) && (
        <Button
          kind="quiet"
          className="self-start text-small"
          onClick={() => send({ type: 'originalWanted', id })}
        >
          Send the original instead
        </Button>
      )}
    </div>
  )
}

function Offer({ id, file, send }: { id: number; file: File; send: SmallerOfferProps['send'] }) {
  const cost = useCost(file)
  const tooLarge =
    isTooLarge(file) && `It is larger than ${maxUploadMegabytes} MB, too large to send as it is. `
  if (cost === undefined && !tooLarge) return null
  if (cost === 'none') {
    return tooLarge && <p className="text-small text-brick">{tooLarge}Send it as an MP3.</p>
  }
  return (
    <div className="flex flex-col gap-2 text-small">
      <p>
        {tooLarge}
        {cost && `Shrink before uploading? ${fromTo(file.size, cost.bytes)}, ${timeOf(cost.seconds)}.`}
      </p>
      {cost && (
        <Button
          kind="secondary"
          className="self-start text-small"
          onClick={() => send({ type: 'smallerWanted', id })}
        >
          Make it smaller
        </Button>
      )}
    </div>
  )
}

function Making({ draft: { id, file, making = 0, waits }, send }: SmallerOfferProps) {
  return (
    <div className="flex flex-col gap-2 text-small">
      <p className="tabular-nums">
        Making it smaller: {Math.floor(making * 100)} %.{waits && ' It is sent when that is done.'}
      </p>
      <progress aria-label={`Making ${file.name} smaller`} max={1} value={making} className={progressClass} />
      <Button
        kind="quiet"
        className="self-start text-small"
        onClick={() => send({ type: 'originalWanted', id })}
      >
        Stop
      </Button>
    </div>
  )
}

/** Measured on this device; 'none' if no smaller file can be made, or if it saves less than a third. */
function useCost(file: File): { bytes: number; seconds: number } | 'none' | undefined {
  const [known, setKnown] = useState<{ of: File; cost: { bytes: number; seconds: number } | 'none' }>()
  useEffect(() => {
    const stop = new AbortController()
    void measureSmaller(file, stop.signal).then((cost) => {
      if (stop.signal.aborted) return
      const saves = cost !== undefined && cost.bytes < (file.size * 2) / 3
      setKnown({ of: file, cost: saves ? cost : 'none' })
    })
    return () => stop.abort()
  }, [file])
  return known?.of === file ? known.cost : undefined
}

/** '60.6 → 4.1 MB' */
const fromTo = (before: number, after: number): string =>
  `${sizeOf(before)} → ${sizeOf(after)}`.replace(/ MB(?= .* MB$)/, '')

const timeOf = (seconds: number): string =>
  seconds < 45 ? 'under a minute' : `about ${counted(Math.round(seconds / 60), 'minute')}`
