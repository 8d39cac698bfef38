import { church, contactEmailMeta } from '@fellowship/schema/church'
import type { ReactNode } from 'react'
import { prerenderedContact } from '../boot/prerender-data.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { lazyPart, optional } from '../ui/lazy-part.tsx'
import { Mark } from '../ui/mark.tsx'

const DeviceLine = lazyPart(() => import('./device-line.tsx'), 'DeviceLine', optional)

/** The elders' e-mail address from the server's configuration; every page contains it, even if it is cached. */
const contactOf = () =>
  (typeof document === 'undefined'
    ? prerenderedContact()
    : document.querySelector<HTMLMetaElement>(`meta[name="${contactEmailMeta}"]`)?.content) ||
  church.contactPlaceholder

/** Service time, street address, contact email and version label, on every page. */
export function Footer() {
  const contact = contactOf()
  const hydrated = useHydrated()
  return (
    <footer className="mt-auto border-t border-line bg-sunk">
      <div className="page grid gap-10 pt-12 pb-8 sm:grid-cols-2 lg:grid-cols-4 lg:pt-16">
        <div className="flex items-start gap-3 sm:col-span-2 lg:col-span-1">
          <Mark className="size-10 shrink-0" />
          <p className="font-serif text-lg leading-snug font-semibold">{church.name}</p>
        </div>
        <Block title={`${church.service.weekday} Service`}>
          <p>{church.service.sentence}</p>
        </Block>
        <Block title="Address">
          <address className="not-italic">
            {church.address.street}
            <br />
            {church.address.locality} {church.address.postalCode}
            <br />
            {church.address.country}
          </address>
        </Block>
        <Block title="Contact the elders">
          <a
            href={`mailto:${contact}`}
            className="break-all underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine"
          >
            {contact}
          </a>
        </Block>
      </div>
      <div className="page print:hidden flex min-h-19 flex-wrap items-center justify-between gap-x-8 gap-y-3 pb-8 text-small text-soft">
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <p>Version {church.versionLabel}</p>
          {/* Not a route of this app: a feed address for podcast apps. */}
          <a
            href="/feed.xml"
            className="inline-flex min-h-11 items-center gap-2 underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine"
          >
            <PodcastSign />
            Podcast feed
          </a>
        </div>
        {hydrated && <DeviceLine />}
      </div>
    </footer>
  )
}

/** Drawn here, as one icon of the icon library adds its shared code to the first load. */
function PodcastSign() {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className="size-5 shrink-0 fill-none stroke-current stroke-2"
      strokeLinecap="round"
    >
      <circle cx="12" cy="11" r="2" />
      <path d="M12 13v8M8.4 15a5.4 5.4 0 1 1 7.2 0M6 18.3a9.4 9.4 0 1 1 12 0" />
    </svg>
  )
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h2 className="font-sans text-small font-semibold tracking-normal text-wheat-text">{title}</h2>
      <div className="mt-1 text-base text-soft">{children}</div>
    </div>
  )
}
