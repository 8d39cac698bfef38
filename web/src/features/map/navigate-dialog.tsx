import { church } from '@fellowship/schema/church'
import { directionsTo } from '@fellowship/schema/map/directions'
import { ExternalLink } from 'lucide-react'
import { Dialog } from '../../ui/dialog.tsx'

/** Three map services for directions, each in a new tab; choosing one closes the dialog. */
export function NavigateDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Navigate to" description={church.address.line} width="narrow" onClose={onClose}>
      <ul className="mt-6 grid gap-3">
        {directionsTo(church.address.line).map(({ name, hint, url }) => (
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
              <ExternalLink aria-hidden="true" className="size-5 shrink-0 text-soft" />
              <span className="sr-only">(opens a new tab)</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
