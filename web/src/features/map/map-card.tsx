import { church } from '@fellowship/schema/church'
import { mapTexts } from '@fellowship/schema/map/map.texts'
import { MapPin } from 'lucide-react'
import { useRef, useState } from 'react'
import { useReducedData } from '../../lib/comfort.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { BuildingPicture } from './building-picture.tsx'
import { DrawnMap, streetName } from './map-drawing.tsx'
import { useMapPart } from './use-map-part.ts'

const NavigateDialog = lazyPart(async () => (await import('./navigate-dialog.tsx')).NavigateDialog, asDialog)

/** The map card: the address, a map that opens directions, and a picture of the building. */
export function MapCard() {
  const [asking, setAsking] = useState(false)
  const ask = () => setAsking(true)
  return (
    <Card className="overflow-hidden lg:grid lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
      <MapView onAsk={ask} />
      <div className="flex flex-col">
        <BuildingPicture className="aspect-3/2 w-full grow print:hidden" />
        <div className="p-6 sm:p-8">
          <address className="flex items-start gap-3 text-lead not-italic">
            <MapPin aria-hidden="true" className="mt-1 size-6 shrink-0 text-wheat-text" />
            <span>
              {church.address.street}
              <br />
              {church.address.locality} {church.address.postalCode}
              <br />
              {church.address.country}
            </span>
          </address>
          <Button className="mt-5 w-full sm:w-auto" aria-haspopup="dialog" onClick={ask}>
            Get directions
          </Button>
        </div>
      </div>
      {asking && <NavigateDialog onClose={() => setAsking(false)} />}
    </Card>
  )
}

function MapView({ onAsk }: { onAsk: () => void }) {
  const [wanted, setWanted] = useState(false)
  const waits = useReducedData() && !wanted
  return (
    <div className="flex flex-col border-line max-lg:border-b lg:border-r print:hidden">
      <div className="relative min-h-72 grow sm:min-h-96">
        {waits ? <Unasked onAsk={onAsk} onShow={() => setWanted(true)} /> : <LiveMap onAsk={onAsk} />}
      </div>
      <p className="border-t border-line px-6 py-3 text-center text-small text-soft">{mapTexts.hint}</p>
    </div>
  )
}

function LiveMap({ onAsk }: { onAsk: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const { part, fail } = useMapPart(place)
  return (
    <div ref={place} className="absolute inset-0">
      {part.status === 'waiting' && <Skeleton className="absolute inset-0 rounded-none!" />}
      {part.status === 'ready' && <part.Map onAsk={onAsk} onFailed={fail} />}
      {part.status === 'failed' && <Unavailable onAsk={onAsk} />}
    </div>
  )
}

/** If the browser saves data, the map loads on request. */
function Unasked({ onAsk, onShow }: { onAsk: () => void; onShow: () => void }) {
  return (
    <>
      <Drawing onAsk={onAsk} />
      <div className="pointer-events-none absolute inset-x-0 top-4 text-center">
        <Button kind="secondary" className="pointer-events-auto" onClick={onShow}>
          Show the map
        </Button>
      </div>
    </>
  )
}

function Unavailable({ onAsk }: { onAsk: () => void }) {
  return (
    <>
      <Drawing onAsk={onAsk} />
      <output className="pointer-events-none absolute inset-x-0 top-4 mx-auto block w-fit rounded-full border border-line bg-raised px-4 py-1.5 text-small">
        {mapTexts.unavailable}
      </output>
    </>
  )
}

/** Our own drawing in place of the map; it opens the same directions. */
function Drawing({ onAsk }: { onAsk: () => void }) {
  return (
    <button
      type="button"
      // Begins with the visible words, so that speech input finds the button by them.
      aria-label={`${streetName}: get directions on a map`}
      aria-haspopup="dialog"
      onClick={onAsk}
      className="absolute inset-0 block w-full"
    >
      <DrawnMap className="size-full" />
    </button>
  )
}
