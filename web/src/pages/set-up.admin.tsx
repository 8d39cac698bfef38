import { orderBehind } from '@fellowship/schema/elders/display-order'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { Link } from '@tanstack/react-router'
import { Check, Plus, Upload } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { ElderForm } from '../features/elders/elder-management-form.tsx'
import { useEldersNow } from '../features/elders/elder-queries.admin.ts'
import { LookForm } from '../features/site/look-form.tsx'
import { PlaceForm } from '../features/site/place-form.tsx'
import { ServiceForm } from '../features/site/service-fields.tsx'
import type { SiteGroupProps } from '../features/site/site-form.tsx'
import { NameForm } from '../features/site/site-groups.tsx'
import { SitePictures } from '../features/site/site-pictures.tsx'
import { useSiteNow } from '../features/site/site-queries.admin.ts'
import { readStored, store } from '../lib/site-storage.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { openHeld } from '../ui/held-dialog.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'

interface StepProps extends Pick<SiteGroupProps, 'site'> {
  onDone: () => void
}

interface Step {
  title: string
  /** Why it matters. */
  words: string
  Content: ComponentType<StepProps>
}

/** A group of the site's fields as a step. */
const groupStep = (Form: ComponentType<SiteGroupProps>) =>
  function GroupStep({ site, onDone }: StepProps) {
    return <Form site={site} submitLabel="Save and continue" onSaved={onDone} />
  }

const steps: readonly Step[] = [
  {
    title: 'Name',
    words: 'The name is on every page, in the podcast and under the icon of the installed site.',
    Content: groupStep(NameForm),
  },
  {
    title: 'Place',
    words: 'The address and the map show people the way. All times are those of this time zone.',
    Content: groupStep(PlaceForm),
  },
  { title: 'Service', words: 'When people can come.', Content: groupStep(ServiceForm) },
  {
    title: 'Look',
    words: 'Your logo, your pictures, and one colour for links and buttons.',
    Content: LookStep,
  },
  {
    title: 'First elder',
    words: 'Home and About show the elders with a photo and a few words.',
    Content: ElderStep,
  },
  {
    title: 'First teaching',
    words: 'Choose a recording; its date, speaker and passage are read from the name of the file.',
    Content: TeachingStep,
  },
]

/** Six steps to the site of one's own church. Each can be skipped; this device remembers the last one. */
export function SetUp() {
  const [at, setAt] = useState(() => Math.min(progress()?.step ?? 0, steps.length))
  const go = (step: number) => {
    store(key, { step, done: step >= steps.length })
    setAt(step)
  }
  return (
    <Section
      title="Set up your site"
      description="Six steps, each of which you can skip. All of it can be changed later, here in the administration."
    >
      <div className="grid max-w-3xl gap-5">
        <ol className="flex flex-wrap gap-x-6 gap-y-1">
          {steps.map(({ title }, step) => (
            <li key={title}>
              <button
                type="button"
                aria-current={step === at ? 'step' : undefined}
                onClick={() => go(step)}
                className={`inline-flex min-h-11 items-center gap-2 ${step === at ? 'font-semibold text-pine' : 'text-soft hover:text-pine'}`}
              >
                {step < at ? <Check className="size-4" /> : <span>{step + 1}</span>}
                {title}
              </button>
            </li>
          ))}
        </ol>
        <Loaded query={useSiteNow()} failure={siteTexts.loadFailed} height="h-96">
          {(site) => {
            const step = steps[at]
            if (!step) return <Finished />
            const { title, words, Content } = step
            return (
              <Card className="admin-box">
                <h3 className="text-xl">{title}</h3>
                <p className="measure mt-1 mb-4 text-soft">{words}</p>
                <Content key={title} site={site} onDone={() => go(at + 1)} />
                <div className="mt-5 flex flex-wrap gap-3 border-t border-line pt-5">
                  {at > 0 && (
                    <Button kind="secondary" onClick={() => go(at - 1)}>
                      Back
                    </Button>
                  )}
                  <Button kind="quiet" onClick={() => go(at + 1)}>
                    Skip this step
                  </Button>
                </div>
              </Card>
            )
          }}
        </Loaded>
      </div>
    </Section>
  )
}

function LookStep({ site, onDone }: StepProps) {
  return (
    <div className="grid gap-8">
      <SitePictures site={site} />
      <LookForm site={site} submitLabel="Save and continue" onSaved={onDone} />
    </div>
  )
}

function ElderStep({ onDone }: StepProps) {
  const { data = [] } = useEldersNow()
  return (
    <div className="flex flex-wrap items-center gap-3">
      {data.length > 0 && <p className="w-full">{data.map(({ name }) => name).join(', ')}</p>}
      <Button
        kind={data.length > 0 ? 'secondary' : 'primary'}
        icon={Plus}
        onClick={() => openHeld(ElderForm, { elder: undefined, lastOrder: orderBehind(data) })}
      >
        Add Elder
      </Button>
      {data.length > 0 && <Button onClick={onDone}>Continue</Button>}
    </div>
  )
}

function TeachingStep({ onDone }: StepProps) {
  return (
    <Link to="/teaching" search={{ focus: 'upload' }} onClick={onDone} className={buttonClass()}>
      <Upload className="size-5" />
      Upload Teaching
    </Link>
  )
}

function Finished() {
  return (
    <Card className="admin-box">
      <h3 className="text-xl">Your site is set up</h3>
      <p className="measure mt-1 mb-4 text-soft">
        Change its words under Pages, and everything else under Site, Elders and Events.
      </p>
      <Link to="/" className={buttonClass()}>
        See your site
      </Link>
    </Card>
  )
}

/** Offers the steps until they are done or refused, on a site without an elder, or if this device has begun them. */
export function SetUpOffer() {
  const { data } = useEldersNow()
  const [known, setKnown] = useState(progress)
  if (known ? known.done : data?.length !== 0) return null
  return (
    <Card className="admin-box mb-8 flex flex-wrap items-center justify-between gap-x-8 gap-y-4">
      <div className="min-w-0">
        <h2 className="text-2xl">Set up your site</h2>
        <p className="measure mt-1 text-soft">
          Name, place, service, look, the first elder and the first teaching: about ten minutes.
        </p>
      </div>
      <div className="flex flex-wrap gap-3">
        <Link to="/admin" search={{ tab: 'content', part: 'set-up' }} className={buttonClass()}>
          {known ? 'Continue' : 'Start'}
        </Link>
        <Button
          kind="secondary"
          onClick={() => {
            store(key, { step: 0, done: true })
            setKnown(progress())
          }}
        >
          Not now
        </Button>
      </div>
    </Card>
  )
}

const key = 'set-up'
const progress = () => readStored(key) as { step: number; done: boolean } | undefined
