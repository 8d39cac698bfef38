import { addressLine, church } from '@fellowship/schema/church'
import { ExternalLink } from 'lucide-react'
import { Dialog } from '../../ui/dialog.tsx'

/** Three map services for directions, each in a new tab; choosing one closes the dialog. */
export function NavigateDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Navigate to" description={addressLine(church().address)} width="narrow" onClose={onClose}>
      <ul className="mt-6 grid gap-3">
        {directionsTo(addressLine(church().address)).map(({ name, hint, url }) => (
          <li key={name}>
            <a
              href={url}
              target="_blank"
              rel="noopener"
              onClick={onClose}
              className="flex min-h-13 items-center justify-between gap-4 rounded-card border border-line-strong px-5 py-3 transition-colors hover:border-pine hover:bg-pine-tint"
            >
              <span>
                <span className="block font-semibold">{name}</span>
                <span className="block text-small text-soft">{hint}</span>
              </span>
              <ExternalLink className="size-5 shrink-0 text-soft" />
              <span className="sr-only">(opens a new tab)</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** A map service that finds an address and the way to it. */
interface Directions {
  readonly name: string
  readonly hint: string
  readonly url: string
}

/** The options of the dialog 'Navigate to': OpenStreetMap, Apple Maps and Google Maps, each searching for the address. */
export function directionsTo(address: string): readonly Directions[] {
  const query = encodeURIComponent(address)
  return [
    {
      name: 'OpenStreetMap',
      hint: 'Opens in the browser',
      url: `https://www.openstreetmap.org/search?query=${query}`,
    },
    { name: 'Apple Maps', hint: 'Opens the app on Apple devices', url: `https://maps.apple.com/?q=${query}` },
    {
      name: 'Google Maps',
      hint: 'Opens the app where it is installed',
      url: `https://www.google.com/maps/search/?api=1&query=${query}`,
    },
  ]
}
