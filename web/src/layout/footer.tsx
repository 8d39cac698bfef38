import { serviceTitle } from '@fellowship/schema/church'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChurch } from '../lib/use-church.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { lazyPart, optional } from '../ui/lazy-part.tsx'
import { Mark } from '../ui/mark.tsx'

const DeviceLine = lazyPart(() => import('./device-line.tsx'), 'DeviceLine', optional)

/** Service time, street address, contact email and version label, on every page. */
export function Footer() {
  const { name, services, address, contactEmail, legalLine, versionLabel } = useChurch()
  const hydrated = useHydrated()
  return (
    <footer className="mt-auto border-t border-line bg-sunk">
      <div className="page grid gap-10 pt-12 pb-8 sm:grid-cols-2 lg:grid-cols-4 lg:pt-16">
        <div className="flex items-start gap-3 sm:col-span-2 lg:col-span-1">
          <Mark className="size-10 shrink-0" />
          <p className="font-serif text-lg leading-snug font-semibold">{name}</p>
        </div>
        {services.length > 0 && (
          <Block title={serviceTitle(services)}>
            {services.map(({ words }) => (
              <p key={words}>{words}</p>
            ))}
          </Block>
        )}
        <Block title="Address">
          <address className="not-italic">
            {address.street}
            <br />
            {address.locality} {address.postalCode}
            <br />
            {address.country}
          </address>
        </Block>
        <Block title="Contact the elders">
          <a
            href={`mailto:${contactEmail}`}
            className="inline-flex min-h-11 items-center break-all underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine"
          >
            {contactEmail}
          </a>
        </Block>
      </div>
      <div className="page print:hidden flex min-h-19 flex-wrap items-center justify-between gap-x-8 gap-y-3 pb-8 text-small text-soft">
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          {legalLine && <p>{legalLine}</p>}
          <p>Version {versionLabel}</p>
          {/* Not a route of this app: a feed address for podcast apps. */}
          <a href="/feed.xml" className={linkClass}>
            {/* Drawn here, as one icon of the icon library adds its shared code to the first load. */}
            <svg
              viewBox="0 0 24 24"
              aria-hidden="true"
              className="size-5 shrink-0 fill-none stroke-current stroke-2"
              strokeLinecap="round"
            >
              <path d="M12 13a2 2 0 1 1 0-4 2 2 0 0 1 0 4v8M8.4 15a5.4 5.4 0 1 1 7.2 0M6 18.3a9.4 9.4 0 1 1 12 0" />
            </svg>
            Podcast feed
          </a>
          <Link to={'/events' as string} className={linkClass}>
            Events
          </Link>
        </div>
        {hydrated && <DeviceLine />}
      </div>
    </footer>
  )
}

const linkClass =
  'inline-flex min-h-11 items-center gap-2 underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine'

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h2 className="font-sans text-small font-semibold tracking-normal text-wheat-text">{title}</h2>
      <div className="mt-1 text-base text-soft">{children}</div>
    </div>
  )
}
