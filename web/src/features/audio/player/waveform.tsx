import { peaksOf, silencesOf, sound, type Sound } from '@fellowship/sound/measure/sound-file'
import { useMemo } from 'react'
import { readSound } from '../saved/kept-sounds.ts'
import type { Picture } from './position-slider.tsx'

/** Bars across the width: as many as a phone shows apart. */
const bars = 100
const height = 100

/** The sound of a whole recording, as far as it was heard in another colour; a picture behind the slider. */
function Waveform({ sound: given, share }: { sound: Sound; share: number }) {
  const { path, silences } = useMemo(() => drawn(given), [given])
  const common = {
    viewBox: `0 0 ${bars} ${height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': true,
    className: 'absolute inset-0 size-full',
  } as const
  return (
    <>
      <svg {...common}>
        {silences.map(({ from, width }) => (
          <rect
            key={from}
            data-silence=""
            x={from}
            y={0}
            width={width}
            height={height}
            className="sound-silence fill-wheat-tint"
          />
        ))}
        <path d={path} className="sound-ahead fill-line-strong" />
      </svg>
      <svg {...common} style={{ clipPath: `inset(0 ${100 - Math.min(1, Math.max(0, share)) * 100}% 0 0)` }}>
        <path d={path} className="sound-heard fill-pine" />
      </svg>
    </>
  )
}

/** The picture of the sound at `url`; undefined if it is none. Rejects if it cannot be read. */
export async function readPicture(url: string): Promise<Picture | undefined> {
  const { data } = sound.safeParse(await readSound(url))
  return data && ((share) => <Waveform sound={data} share={share} />)
}

function drawn(given: Sound): { path: string; silences: { from: number; width: number }[] } {
  const peaks = peaksOf(given)
  const path = Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / bars)
    const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / bars))
    // Silence is drawn as a thin line, so that the whole length is visible.
    const tall = Math.max(4, Math.max(...peaks.slice(from, to)) * height)
    return `M${bar + 0.2} ${(height - tall) / 2}h.6v${tall}h-.6z`
  }).join('')
  const scale = bars / given.seconds
  const silences = silencesOf(given).map(({ start, end }) => ({
    from: start * scale,
    // Wide enough to be visible on a phone.
    width: Math.max(0.3, (end - start) * scale),
  }))
  return { path, silences }
}
