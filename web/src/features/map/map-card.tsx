import { addressLine } from '@fellowship/schema/church'
import { mapTexts } from '@fellowship/schema/map/map.texts'
import { MapPin } from 'lucide-react'
import { useRef, useState } from 'react'
import { useChurch } from '../../lib/use-church.ts'
import { useReducedData } from '../../lib/comfort.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { WidePicture } from '../../ui/wide-picture.view.tsx'
import { useMapPart } from './use-map-part.ts'

const NavigateDialog = lazyPart(() => import('./navigate-dialog.tsx'), 'NavigateDialog', asDialog)

/** The map card: the address, a map that opens directions, and a picture of the building. */
export function MapCard() {
  const { address, building, map, name } = useChurch()
  const [asking, setAsking] = useState(false)
  const ask = () => setAsking(true)
  return (
    <Card
      className={
        map ? 'overflow-hidden lg:grid lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]' : 'overflow-hidden'
      }
    >
      {map && <MapView key={`${name} ${JSON.stringify([map, address])}`} onAsk={ask} />}
      <div className={map ? 'flex flex-col' : 'grid items-center sm:grid-cols-2'}>
        {building ? (
          <WidePicture
            imageUrl={building}
            alt={`The building of ${name}`}
            sizes="(min-width: 64rem) 28rem, 100vw"
            className="aspect-3/2 w-full grow print:hidden"
          />
        ) : (
          <BuildingDrawing className="aspect-3/2 w-full grow print:hidden" />
        )}
        <div className="p-6 sm:p-8">
          <address className="flex items-start gap-3 text-lead not-italic">
            <MapPin className="mt-1 size-6 shrink-0 text-wheat-text" />
            <span>
              {address.street}
              <br />
              {address.locality} {address.postalCode}
              <br />
              {address.country}
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
      <div className="pointer-events-none absolute inset-x-0 top-3 text-center">
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
      <output className="pointer-events-none absolute inset-x-0 top-3 mx-auto block w-fit rounded-full border border-line bg-raised px-4 py-1.5 text-small">
        {mapTexts.unavailable}
      </output>
    </>
  )
}

/** Our own drawing in place of the map; it opens the same directions. */
function Drawing({ onAsk }: { onAsk: () => void }) {
  const streetName = useStreetName()
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

/** The visible words of the drawing. */
const useStreetName = () => useChurch().address.street.replace(/^\d+\s*/, '')

/** A drawing of the location, shown if the map cannot load: not to scale, and always available. */
function DrawnMap({ className }: { className?: string }) {
  const { address } = useChurch()
  const streetName = useStreetName()
  return (
    <svg
      viewBox="0 0 640 420"
      preserveAspectRatio="xMidYMid slice"
      role="img"
      aria-label={`Drawing of the streets around ${addressLine(address)}, not to scale`}
      className={className}
    >
      <rect width="640" height="420" className="fill-sky-high" />
      <path d="M0 0h640v120C540 96 470 132 380 118S180 60 0 98Z" className="fill-hill-far" opacity=".45" />
      <path d="M0 330c120-30 220 14 330 2s200-40 310-14v102H0Z" className="fill-hill-far" opacity=".45" />
      <path
        d="M-20 392c90-34 150 6 240-14s120-62 220-52 130 34 220 10"
        className="fill-none stroke-river-deep"
        strokeWidth="26"
        strokeLinecap="round"
      />
      <g className="fill-none stroke-paper-raised" strokeLinecap="round">
        <path d="M-10 250 660 168" strokeWidth="22" className="stroke-raised" />
        <path d="M330 -10 372 430" strokeWidth="16" className="stroke-raised" />
        <path d="M120 -10 156 430M520 -10 552 430" strokeWidth="10" className="stroke-raised" />
        <path d="M-10 130 660 60M-10 340 660 276" strokeWidth="8" className="stroke-raised" />
      </g>
      <g className="fill-crop">
        <path d="M176 148 306 134 312 172 182 190Z" />
        <path d="M576 82 640 76v64l-56 6Z" />
        <path d="M0 152 108 140 114 210 0 224Z" />
      </g>
      <g className="fill-hill-mid">
        <circle cx="210" cy="282" r="16" />
        <circle cx="236" cy="296" r="12" />
        <circle cx="470" cy="112" r="14" />
        <circle cx="492" cy="124" r="10" />
        <circle cx="60" cy="292" r="13" />
      </g>
      <g className="fill-wall-shade stroke-line-strong" strokeOpacity=".4">
        <path d="M396 150h34v22h-34zM446 142h26v26h-26zM266 236h30v24h-30zM400 246h40v20h-40zM458 236h26v24h-26z" />
        <path d="M190 98h30v20h-30zM250 92h26v22h-26zM404 84h30v20h-30z" />
      </g>
      <text
        x="112"
        y="245"
        transform="rotate(-7 112 245)"
        className="fill-ink font-sans text-[19px] font-medium"
      >
        {streetName}
      </text>
      <path
        d="M330 214c-14-18-21-28-21-38a21 21 0 0 1 42 0c0 10-7 20-21 38Z"
        className="fill-pine stroke-raised"
        strokeWidth="3"
      />
      <path
        d="M330 164v22M322 171h16"
        className="fill-none stroke-on-pine"
        strokeWidth="3.4"
        strokeLinecap="round"
      />
      <g transform="translate(592 372)" className="fill-none stroke-soft" strokeWidth="2.5">
        <path d="M0 22V-16M-7-8 0-18l7 10" strokeLinecap="round" strokeLinejoin="round" />
        {/* An N. It is no text, because the name of a button around the drawing would have to contain it. */}
        <path d="M-4.5-27v-12l9 12v-12" strokeLinecap="round" strokeLinejoin="round" />
      </g>
    </svg>
  )
}

/** An illustration of the building, until a photograph replaces it. */
function BuildingDrawing({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 640 420"
      preserveAspectRatio="xMidYMax slice"
      role="img"
      aria-label="Drawing of the church building: a small hall with a gable, a porch and three windows"
      className={className}
    >
      <rect width="640" height="420" className="fill-sky-low" />
      <circle cx="520" cy="92" r="40" className="fill-sun" />
      <path d="M0 236c90-50 160-46 250-16s150 8 220-20 120-14 170 6v214H0Z" className="fill-range-near" />
      <path d="M0 288c120-44 210-30 320-10s210-8 320-26v168H0Z" className="fill-hill-mid" />
      <g className="fill-tree">
        <path d="M70 336c-22-14-26-110 0-150 26 40 22 136 0 150Z" />
        <path d="M112 340c-18-12-22-90 0-122 22 32 18 110 0 122Z" />
        <path d="M546 342c-22-14-52-26-42-56-10-28 16-52 42-44 18-24 60-16 62 14 30 4 34 46 12 58-14 22-44 32-74 28Z" />
      </g>
      <path d="M306 214h196v140H306Z" className="fill-wall-shade" />
      <path d="M162 226l78-70 78 70v128H162Z" className="fill-wall" />
      <path d="M240 138h212l62 82H318Z" className="fill-roof" />
      <path d="M240 132 146 218l12 14 82-74 82 74 12-14Z" className="fill-roof" />
      <path d="M238 92h5v46h-5zM227 104h27v5h-27z" className="fill-roof" />
      <path d="M216 354v-62q24-28 48 0v62Z" className="fill-roof" />
      <path d="M239 284h3v70h-3z" className="fill-wall-shade" />
      <g className="fill-window">
        <path d="M336 246h32v54h-32zM390 246h32v54h-32zM444 246h32v54h-32z" />
        <circle cx="240" cy="222" r="15" />
      </g>
      <g className="fill-none stroke-wall" strokeWidth="3">
        <path d="M352 246v54M336 272h32M406 246v54M390 272h32M460 246v54M444 272h32M240 207v30M225 222h30" />
      </g>
      <path d="M0 352c150-14 320-6 640-10v78H0Z" className="fill-hill-near" />
      <path d="M204 354h72c14 26 40 48 76 66H150c34-18 50-40 54-66Z" className="fill-crop" />
      <path d="M0 392c120-18 200 0 260 28H0ZM640 388c-110-12-190 6-250 32h250Z" className="fill-meadow" />
    </svg>
  )
}
