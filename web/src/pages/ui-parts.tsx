import { coverSvg } from '@fellowship/schema/covers/cover'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { CircleCheck, Inbox, Pencil, Plus, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { usePageTitle } from '../lib/page-title.view.ts'
import { shownMoment } from '../lib/shown-moment.ts'
import { Badge } from '../ui/badge.tsx'
import { Banner } from '../ui/banner.tsx'
import { Button, type ButtonKind } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Cover } from '../ui/cover.view.tsx'
import { EmptyState } from '../ui/empty-state.list.tsx'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { HealthList } from '../ui/health-list.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { showToast } from '../ui/toast.ts'

const kinds: readonly ButtonKind[] = ['primary', 'secondary', 'quiet', 'danger']
const tones = ['leaf', 'wheat', 'brick'] as const
/** As the library of a site has none of these titles, they are drawn here. */
const drawn = (title: string) =>
  `data:image/svg+xml,${encodeURIComponent(coverSvg({ kind: 'series', title }))}`
const covers = ['Walking in the Light', 'Ruth', 'The Sermon on the Mount', 'Ngā waiata'] as const

/** /ui, in development only: every part in every state, to compare it with the rules in ui/README.md. */
export function UiParts() {
  usePageTitle('Parts')
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <h1 className="text-title">Parts</h1>
      <Group title="Type">
        <p className="text-title">Title of a page</p>
        <p className="text-section">Title of a section</p>
        <p className="text-lead">A lead sentence</p>
        <p>Text</p>
        <p className="text-small text-soft">Small, soft text · {shownMoment('2026-11-22T10:05:00Z')}</p>
      </Group>
      <Group title="Buttons">
        {kinds.map((kind) => (
          <div key={kind} className="flex flex-wrap gap-3">
            <Button kind={kind} icon={Plus}>
              {kind}
            </Button>
            <Button kind={kind} pending pendingLabel="Saving...">
              {kind}
            </Button>
            <Button kind={kind} disabled>
              disabled
            </Button>
          </div>
        ))}
        <div className="flex flex-wrap gap-3">
          <IconButton label="Edit" icon={Pencil} />
          <IconButton label="Delete" icon={TriangleAlert} kind="danger" />
        </div>
      </Group>
      <Group title="Fields">
        <Field label="Title" hint="A hint">
          {(control) => <Input {...control} defaultValue="Hope in Christ" />}
        </Field>
        <Field label="Speaker" error={teachingTexts.speakerRequired}>
          {(control) => <Input {...control} />}
        </Field>
        <Field label="Description" optional>
          {(control) => <Textarea {...control} />}
        </Field>
        <Field label="Role">
          {(control) => (
            <Select {...control}>
              <option>user</option>
            </Select>
          )}
        </Field>
      </Group>
      <Messages />
      <Lists />
      <Group title="Covers">
        <div className="flex flex-wrap gap-3">
          {covers.map((title) => (
            <Cover
              key={title}
              kind="series"
              title={title}
              imageUrl={drawn(title)}
              sizes="11rem"
              className="size-44"
            />
          ))}
          {covers.map((title) => (
            <Cover
              key={title}
              kind="series"
              title={title}
              imageUrl={drawn(title)}
              sizes="4rem"
              className="h-16"
            />
          ))}
        </div>
      </Group>
    </div>
  )
}

function Messages() {
  const [asking, setAsking] = useState(false)
  return (
    <Group title="Messages">
      {tones.map((tone) => (
        <Banner key={tone} tone={tone} title={`A ${tone} message`} icon={CircleCheck}>
          <p className="text-small">With a sentence below it.</p>
        </Banner>
      ))}
      <div className="flex flex-wrap gap-3">
        <Badge>plain</Badge>
        <Badge tone="pine">pine</Badge>
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button kind="secondary" onClick={() => showToast({ title: 'Saved', description: 'A toast.' })}>
          Toast
        </Button>
        <Button kind="secondary" onClick={() => showToast({ title: 'Failed', kind: 'destructive' })}>
          Failure
        </Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Confirmation
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title="Delete Teaching"
          question={teachingTexts.confirmDelete}
          confirmLabel="Delete"
          onConfirm={() => setAsking(false)}
          onCancel={() => setAsking(false)}
        />
      )}
    </Group>
  )
}

function Lists() {
  const [tab, setTab] = useState('one')
  return (
    <Group title="Lists">
      <Tabs
        label="Tabs"
        selected={tab}
        onSelect={setTab}
        items={['one', 'two', 'three'].map((id) => ({ id, label: id, content: <p>Panel {id}</p> }))}
      />
      <HealthList
        lines={(['bad', 'attention', 'good'] as const).map((state) => ({
          id: state,
          label: state,
          state,
          sentence: 'A sentence about it.',
          advice: state === 'good' ? '' : 'What to do.',
        }))}
      />
      <EmptyState title="Nothing to check." picture={Inbox}>
        Recordings that need checking appear in this list.
      </EmptyState>
      <Skeleton className="h-9 w-full" />
      <Spinner size="small" />
    </Group>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-8">
      <h2 className="text-section">{title}</h2>
      <div className="mt-4 flex flex-col gap-4">{children}</div>
    </section>
  )
}
