import { hasVisitDetails } from '@fellowship/schema/visit/visit.texts'
import type { VisitDetails } from '@fellowship/schema/visit/visit.contract'
import { Baby, CircleParking, HandHeart, type LucideIcon, Phone } from 'lucide-react'
import { type ReactNode, startTransition, useEffect, useState } from 'react'
import { preloadCalls, whenIdle } from '../../boot/phases.ts'
import { firstVisit } from '../../boot/first-data.ts'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'

/** 'Plan Your Visit' on Home: the filled-in details; nothing if there are none. */
export function VisitSection({ className }: { className: string }) {
  const details = useVisit()
  if (!details) return null
  return (
    <section aria-labelledby="plan-your-visit" className={className}>
      <h2 id="plan-your-visit" className="mb-8 text-section lg:mb-10">
        Plan Your Visit
      </h2>
      <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {parts.map(
          ({ name, label, Icon }) =>
            details[name] !== '' && (
              <div key={name} className="border-t border-line pt-5">
                <dt className="flex items-center gap-2 text-lg font-semibold">
                  <Icon className="size-5 shrink-0 text-wheat-text" />
                  {label}
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
  name: keyof VisitDetails
  label: string
  Icon: LucideIcon
}[] = [
  { name: 'expect', label: 'What to expect', Icon: HandHeart },
  { name: 'forChildren', label: 'Children', Icon: Baby },
  { name: 'parking', label: 'Parking', Icon: CircleParking },
  { name: 'phone', label: 'Phone', Icon: Phone },
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

/** The visit details for newcomers; null if none are filled in, or while they load. */
function useVisit(): VisitDetails | null {
  const [details, setDetails] = useState(() => firstVisit() ?? null)
  useEffect(() => {
    let stop: (() => void) | undefined
    // If the code fails to load, the prerendered details stay.
    const cancel = whenIdle(() => {
      stop = runWhenLoaded(async () => {
        await preloadCalls()
        const known = await import('./visit.device.ts').then((part) => part.readVisit())
        const latest = known && hasVisitDetails(known.details) ? known.details : null
        // The details stored on this device may be older than those of the prerendered page.
        if (!latest && !known?.isFromServer) return undefined
        return () => startTransition(() => setDetails(latest))
      })
    })
    return () => {
      cancel()
      stop?.()
    }
  }, [])
  return details
}
