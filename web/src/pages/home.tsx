import { addressLine, serviceTitle } from '@fellowship/schema/church'
import { datesOnHome } from '@fellowship/schema/events/events.limits'
import type { HomeParts } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { MapPin } from 'lucide-react'
import { firstCalendar } from '../boot/first-data.ts'
import { PlayDisc, PlayWords } from '../features/audio/player/play-disc.view.tsx'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ElderGrid } from '../features/elders/elder-list.view.tsx'
import { ComingUp } from '../features/events/coming-up.tsx'
import { useCalendar } from '../features/events/use-calendar.view.ts'
import { MapCard } from '../features/map/map-card.tsx'
import { LatestTeaching, useLatest } from '../features/teachings/latest-teaching.tsx'
import { NoticeList } from '../features/notices/notice-list.tsx'
import { ServiceParts, Welcome } from '../features/written-pages/home-words.view.tsx'
import { usePage } from '../features/written-pages/use-page.view.ts'
import { VisitSection } from '../features/visit/visit-section.tsx'
import { useChurch } from '../lib/use-church.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { Landscape } from '../ui/landscape.tsx'
import { WidePicture } from '../ui/wide-picture.view.tsx'

/** The church's own picture, or the landscape. */
function Hero({ className }: { className: string }) {
  const { hero } = useChurch()
  if (!hero) return <Landscape className={className} />
  return <WidePicture imageUrl={hero} alt="" sizes="100vw" className={className} />
}

export function Home() {
  usePageTitle()
  const { name } = useChurch()
  const { user } = useAuth()
  const parts = usePage('home')?.parts as HomeParts | undefined
  const { latest, reader } = useLatest()
  const calendar = useCalendar(firstCalendar)
  const newest = latest?.find(({ audioUrl }) => audioUrl)
  return (
    <>
      {reader}
      <section className="relative -mt-24 flex flex-col overflow-hidden bg-[linear-gradient(var(--sky-high),var(--sky-low))] pt-24">
        <div className="page relative z-1 pt-6 pb-6 sm:pt-12">
          {calendar && <NoticeList notices={calendar.notices} />}
          <Welcome parts={parts} name={name} />
          <div className="mt-8 flex flex-wrap gap-3">
            {newest && <PlayWords teaching={newest}>Play the latest</PlayWords>}
            <Link to="/teaching" className={buttonClass(newest ? 'secondary' : 'primary')}>
              Listen to the teaching
            </Link>
            {!newest && (
              <Link to="/about" className={buttonClass('secondary')}>
                Who we are
              </Link>
            )}
            {latest?.length === 0 && user?.role === 'admin' && (
              <Link
                to="/admin"
                search={{ tab: 'content', part: 'set-up' }}
                className={buttonClass('secondary')}
              >
                Set up your site
              </Link>
            )}
          </div>
        </div>
        <Hero className="h-[clamp(10rem,25vw,36rem)] w-full print:hidden" />
      </section>
      <section aria-labelledby="latest-teaching" className="page relative -mt-5 sm:-mt-12">
        <Card className="px-[min(1rem,5vw)] pt-2 pb-5 sm:p-8 sm:pt-4">
          <LatestTeaching headingId="latest-teaching" latest={latest} play={playDisc} />
        </Card>
      </section>
      <SundayService parts={parts} />
      {calendar && <ComingUp dates={calendar.dates.slice(0, datesOnHome)} className="page pt-16 lg:pt-24" />}
      <VisitSection className="page pt-16 lg:pt-24" />
      <section aria-labelledby="our-elders" className="page pt-20 lg:pt-28">
        <h2 id="our-elders" className="text-section">
          {parts?.eldersHeading}
        </h2>
        <p className="measure mt-3 mb-8 text-soft lg:mb-10">{parts?.elders}</p>
        <ElderGrid />
      </section>
      <section aria-labelledby="find-us" className="page pt-20 pb-20 lg:pt-28 lg:pb-28">
        <h2 id="find-us" className="text-section mb-8 lg:mb-10">
          {parts?.placeHeading}
        </h2>
        <MapCard />
      </section>
    </>
  )
}

const playDisc = (teaching: Teaching) => <PlayDisc teaching={teaching} />

function SundayService({ parts }: { parts: HomeParts | undefined }) {
  const { services, address } = useChurch()
  return (
    <section
      aria-labelledby="sunday-service"
      className="page grid gap-8 pt-16 lg:grid-cols-[1fr_1.4fr] lg:gap-14 lg:pt-24"
    >
      <div>
        <h2 id="sunday-service" className="text-section">
          {serviceTitle(services)}
        </h2>
        {services.map(({ words }) => (
          <p key={words} className="mt-3 font-serif text-xl text-wheat-text">
            {words}
          </p>
        ))}
        <p className="mt-4 flex items-start gap-2 text-soft">
          <MapPin className="mt-1 size-5 shrink-0" />
          {addressLine(address)}
        </p>
      </div>
      <ServiceParts parts={parts} />
    </section>
  )
}
