import type { Site } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { type ComponentType, useId } from 'react'
import { Card } from '../../ui/card.view.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { LookForm } from './look-form.tsx'
import { PlaceForm } from './place-form.tsx'
import { ServiceForm } from './service-fields.tsx'
import type { SiteGroupProps } from './site-form.tsx'
import { ContactForm, NameForm, VisitForm, WindowForm } from './site-groups.tsx'
import { SitePictures } from './site-pictures.tsx'
import { useSiteNow } from './site-queries.admin.ts'

export function SiteManagement() {
  return (
    <Section
      title="Site"
      description="What makes this the site of your church. Pages, feed, mails and installed apps follow each change."
    >
      <Loaded query={useSiteNow()} failure={siteTexts.loadFailed} height="h-96">
        {(site) => (
          <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
            {groups.map((group) => (
              <Group key={group.title} {...group} site={site} />
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

interface SiteGroup {
  title: string
  description?: string
  Form: ComponentType<SiteGroupProps>
}

const groups: readonly SiteGroup[] = [
  { title: 'Name', Form: NameForm },
  { title: 'Place', Form: PlaceForm },
  { title: 'Services', Form: ServiceForm },
  { title: 'Contact', Form: ContactForm },
  { title: 'Look', Form: LookForm },
  { title: 'Pictures', description: 'Each is saved as you choose it.', Form: SitePictures },
  {
    title: 'Plan Your Visit',
    description:
      'Shown on the Home page to people who come for the first time. What you leave empty is left out.',
    Form: VisitForm,
  },
  { title: 'Uploads by SFTP and version', Form: WindowForm },
]

function Group({ title, description, Form, site }: SiteGroup & { site: Site }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Card className="admin-box">
        <h3 id={id} className="text-xl">
          {title}
        </h3>
        {description && <p className="measure mt-1 text-small text-soft">{description}</p>}
        <div className="mt-4">
          <Form site={site} />
        </div>
      </Card>
    </section>
  )
}
