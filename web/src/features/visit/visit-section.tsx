import { visitLabels, type VisitName } from '@fellowship/schema/site/site.texts'
import { Baby, CircleParking, HandHeart, type LucideIcon, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { useChurch } from '../../lib/use-church.ts'

/** 'Plan Your Visit' on Home: the filled-in details; nothing if there are none. */
export function VisitSection({ className }: { className: string }) {
  const details = useChurch()
  if (parts.every(({ name }) => details[name] === '')) return null
  return (
    <section aria-labelledby="plan-your-visit" className={className}>
      <h2 id="plan-your-visit" className="mb-8 text-section lg:mb-10">
        Plan Your Visit
      </h2>
      <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {parts.map(
          ({ name, Icon }) =>
            details[name] !== '' && (
              <div key={name} className="border-t border-line pt-5">
                <dt className="flex items-center gap-2 text-lg font-semibold">
                  <Icon className="size-5 shrink-0 text-wheat-text" />
                  {visitLabels[name]}
                </dt>
                <dd className="measure mt-2 whitespace-pre-line wrap-anywhere text-soft">
                  {name === 'phone' ? <PhoneLink number={details.phone} /> : details[name]}
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}

const parts: readonly {
  name: VisitName
  Icon: LucideIcon
}[] = [
  { name: 'expect', Icon: HandHeart },
  { name: 'forChildren', Icon: Baby },
  { name: 'parking', Icon: CircleParking },
  { name: 'phone', Icon: Phone },
]

function PhoneLink({ number }: { number: string }): ReactNode {
  return (
    <a
      href={`tel:${number.replace(/[^+\d]/g, '')}`}
      className="inline-flex min-h-11 items-center underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine"
    >
      {number}
    </a>
  )
}
