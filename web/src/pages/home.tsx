import { church } from '@fellowship/schema/church'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { MapPin } from 'lucide-react'
import { PlayDisc } from '../features/audio/player/play-disc.view.tsx'
import { ElderGrid } from '../features/elders/elder-list.view.tsx'
import { MapCard } from '../features/map/map-card.tsx'
import { LatestTeaching } from '../features/teachings/latest-teaching.tsx'
import { VisitSection } from '../features/visit/visit-section.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'
import { buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { Landscape } from '../ui/landscape.tsx'

export function Home() {
  usePageTitle()
  return (
    <>
      <section className="relative -mt-24 flex flex-col overflow-hidden bg-linear-to-b from-sky-high to-sky-low pt-24">
        <div className="page relative z-1 pt-6 pb-6 sm:pt-16 lg:pt-20">
          <h1 className="text-display max-w-4xl">
            {/* Each part stays on one line if it fits, as balancing would split "Welcome to". */}
            <span className="inline-block">Welcome to</span>{' '}
            <span className="inline-block">{church.name}</span>
          </h1>
          <p className="text-lead measure mt-6">
            We are a Bible-believing church in a small country town. Whether you have followed Jesus for years
            or are only starting to ask, there is a seat for you among us.
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
            <Link to="/teaching" className={buttonClass()}>
              Listen to the teaching
            </Link>
            <Link to="/about" className={buttonClass('secondary')}>
              Who we are
            </Link>
          </div>
        </div>
        <Landscape className="h-[clamp(10rem,30vw,42rem)] print:hidden" />
      </section>
      <section className="page relative -mt-5 sm:-mt-12">
        <SundayService />
      </section>
      <section aria-labelledby="latest-teaching" className="page pt-16 lg:pt-24">
        <LatestTeaching headingId="latest-teaching" play={playDisc} />
      </section>
      <section aria-labelledby="our-elders" className="page pt-20 lg:pt-28">
        <h2 id="our-elders" className="text-section">
          Our Elders
        </h2>
        <p className="measure mt-3 mb-8 text-soft lg:mb-10">
          They teach, visit and pray with us, and they are glad to hear from you.
        </p>
        <ElderGrid />
      </section>
      <VisitSection className="page pt-20 lg:pt-28" />
      <section aria-labelledby="find-us" className="page pt-20 pb-20 lg:pt-28 lg:pb-28">
        <h2 id="find-us" className="text-section mb-8 lg:mb-10">
          Find Us
        </h2>
        <MapCard />
      </section>
    </>
  )
}

const playDisc = (teaching: Teaching) => <PlayDisc teaching={teaching} />

const parts = [
  { name: 'Fellowship', words: 'A warm welcome, and time to know one another.' },
  { name: 'Worship', words: 'Songs and prayer, old and new, with one heart.' },
  { name: 'Teaching', words: 'The Bible opened, explained and applied to life.' },
  { name: "Children's program", words: 'Stories and activities for the young ones.' },
]

function SundayService() {
  return (
    <Card className="grid gap-8 p-7 sm:p-10 lg:grid-cols-[1fr_1.4fr] lg:gap-14">
      <div>
        <h2 className="text-section">{church.service.weekday} Service</h2>
        <p className="mt-3 font-serif text-xl text-wheat-text">{church.service.sentence}</p>
        <p className="mt-4 flex items-start gap-2 text-soft">
          <MapPin className="mt-1 size-5 shrink-0" />
          {church.address.line}
        </p>
      </div>
      <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {parts.map(({ name, words }) => (
          <div key={name}>
            <dt className="font-semibold">{name}</dt>
            <dd className="text-soft">{words}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
