import { Play } from 'lucide-react'
import { clockTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'

interface ShareOfferProps {
  /** The position in the link, in seconds. */
  at: number
  onPlay: (from: number) => void
}

/** Offers to play the teaching of a shared link. Playback starts only on a click. */
export function ShareOffer({ at, onPlay }: ShareOfferProps) {
  return (
    <div className="flex animate-rise flex-wrap items-center gap-x-4 gap-y-3 rounded-card bg-sunk p-4 sm:px-5 print:hidden">
      <p className="grow basis-52 text-small text-soft">
        {at > 0 ? `The link you followed begins at ${clockTime(at)}.` : 'The link you followed leads here.'}
      </p>
      <Button onClick={() => onPlay(at)}>
        <Play aria-hidden="true" className="size-4 fill-current" />
        {at > 0 ? `Play from ${clockTime(at)}` : 'Play it'}
      </Button>
      {at > 0 && (
        <Button kind="quiet" onClick={() => onPlay(0)}>
          From the beginning
        </Button>
      )}
    </div>
  )
}
