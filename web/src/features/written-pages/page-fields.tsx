import { pageLimits } from '@fellowship/schema/written-pages/written-pages.limits'
import type { FixedSlug } from '@fellowship/schema/written-pages/written-pages.schema'
import { nameSlug } from '@fellowship/schema/text-folding'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import type { UseFormReturn } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Words } from './page-queries.admin.ts'

type PageForm = UseFormReturn<Words>

/** A text of a part: one line, or several if it has `rows`. */
interface TextField {
  name: string
  label: string
  hint?: string
  rows?: number
}

/** A list of texts that belong together. */
interface ListField {
  name: string
  label: string
  /** One of them, in small letters. */
  one: string
  entry: readonly TextField[]
}

const referenceHint = 'Such as John 3:16 or 1 John 4:7-12; several with semicolons between them.'

/** The texts of Home and About, in the order of the page. */
export const partFields: Readonly<Record<FixedSlug, readonly (TextField | ListField)[]>> = {
  home: [
    { name: 'greeting', label: 'Greeting', hint: 'Before the name of the church.' },
    { name: 'introduction', label: 'Introduction', rows: 4 },
    {
      name: 'service',
      label: 'Parts of a service',
      one: 'part',
      entry: [
        { name: 'name', label: 'Name' },
        { name: 'words', label: 'Description', rows: 2 },
      ],
    },
    { name: 'eldersHeading', label: 'Heading of the elders' },
    { name: 'elders', label: 'Introduction of the elders', rows: 2 },
    { name: 'placeHeading', label: 'Heading of the map' },
  ],
  about: [
    { name: 'title', label: 'Title' },
    { name: 'missionHeading', label: 'Heading of the mission' },
    { name: 'mission', label: 'Mission', rows: 4 },
    { name: 'churchHeading', label: 'Heading of the church' },
    { name: 'church', label: 'About the church', rows: 10, hint: 'A blank line starts a new paragraph.' },
    {
      name: 'quotes',
      label: 'Quotes',
      one: 'quote',
      entry: [
        { name: 'thought', label: 'Meaning' },
        { name: 'reference', label: 'Reference', hint: 'Such as Acts 2:42.' },
      ],
    },
    { name: 'beliefsHeading', label: 'Heading of the beliefs' },
    {
      name: 'beliefs',
      label: 'Beliefs',
      one: 'belief',
      entry: [
        { name: 'topic', label: 'Topic' },
        { name: 'description', label: 'Description', rows: 4 },
        { name: 'scripture', label: 'References', hint: referenceHint },
      ],
    },
    { name: 'eldersHeading', label: 'Heading of the elders' },
  ],
}

export const pageLabels: readonly { name: string; label: string }[] = [
  { name: 'title', label: 'Title' },
  { name: 'slug', label: 'Address' },
  { name: 'text', label: 'Text' },
  { name: 'inNavigation', label: 'Show in the navigation' },
  { name: 'draft', label: 'Draft' },
]

/** The fields of a page besides Home and About. The address follows the title of a new page. */
export function TextPageFields({ form, isNew }: { form: PageForm; isNew: boolean }) {
  const errorOf = (name: string) => form.getFieldState(name, form.formState).error?.message
  const slug = form.watch('slug')
  const follow = ({ target }: { target: { value: string } }) => {
    if (isNew && !form.getFieldState('slug').isTouched)
      form.setValue('slug', nameSlug(target.value).slice(0, pageLimits.slug), { shouldDirty: true })
  }
  return (
    <>
      <Field label="Title" error={errorOf('title')}>
        {(control) => <Input {...control} {...form.register('title', { onChange: follow })} />}
      </Field>
      <Field label="Address" hint={`The page is at /${String(slug)}`} error={errorOf('slug')}>
        {(control) => (
          <Input {...control} autoComplete="off" autoCapitalize="none" {...form.register('slug')} />
        )}
      </Field>
      <Field
        label="Text"
        hint="A blank line starts a new paragraph, # and a space a heading, > and a space a quote. References such as John 3:16 open their passage."
        error={errorOf('text')}
      >
        {(control) => <Textarea {...control} rows={14} {...form.register('text')} />}
      </Field>
      <Check label="Show in the navigation" {...form.register('inNavigation')} />
      <Check label="Draft: only administrators see it, here" {...form.register('draft')} />
    </>
  )
}

function Check({ label, ...input }: { label: string } & ReturnType<PageForm['register']>) {
  return (
    <label className="flex min-h-11 items-center gap-3">
      <input type="checkbox" {...input} className="size-5 shrink-0 accent-pine" />
      {label}
    </label>
  )
}

/** The fields of Home or About. */
export function PartFields({ form, slug }: { form: PageForm; slug: FixedSlug }) {
  return partFields[slug].map((field) =>
    'entry' in field ? (
      <PartList key={field.name} form={form} list={field} />
    ) : (
      <TextInput
        key={field.name}
        field={field}
        value={form.watch(field.name)}
        error={form.getFieldState(field.name, form.formState).error?.message}
        onChange={(value) => change(form, field.name, value)}
      />
    ),
  )
}

const change = (form: PageForm, name: string, value: unknown) =>
  form.setValue(name, value, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })

interface TextInputProps {
  field: TextField
  value: unknown
  error: string | undefined
  onChange: (value: string) => void
}

function TextInput({ field: { label, hint, rows }, value, error, onChange }: TextInputProps) {
  const shown = {
    value: String(value),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  return (
    <Field label={label} {...(hint && { hint })} error={error}>
      {(control) =>
        rows ? (
          <Textarea {...control} rows={rows} {...shown} />
        ) : (
          <Input {...control} autoComplete="off" {...shown} />
        )
      }
    </Field>
  )
}

type Entry = Readonly<Record<string, string>>

/** A list whose entries can be added, moved and removed. */
function PartList({ form, list: { name, label, one, entry } }: { form: PageForm; list: ListField }) {
  const entries = form.watch(name) as readonly Entry[]
  const set = (next: readonly Entry[]) => change(form, name, next)
  const blank = Object.fromEntries(entry.map((field) => [field.name, '']))
  const move = (at: number, to: number) => set(entries.with(at, entries[to]!).with(to, entries[at]!))
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-4 text-xl">{label}</legend>
      <ol className="grid gap-4 empty:hidden">
        {entries.map((words, at) => (
          <li key={at} className="grid gap-4 rounded-card border border-line p-4">
            {entry.map((field) => (
              <TextInput
                key={field.name}
                field={field}
                value={words[field.name]}
                error={form.getFieldState(`${name}.${at}.${field.name}`, form.formState).error?.message}
                onChange={(value) => set(entries.with(at, { ...words, [field.name]: value }))}
              />
            ))}
            <div className="-my-2 flex justify-end">
              <IconButton
                label={`Move ${one} ${at + 1} up`}
                icon={ArrowUp}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              />
              <IconButton
                label={`Move ${one} ${at + 1} down`}
                icon={ArrowDown}
                disabled={at === entries.length - 1}
                onClick={() => move(at, at + 1)}
              />
              <IconButton
                kind="danger"
                label={`Remove ${one} ${at + 1}`}
                icon={Trash2}
                onClick={() => set(entries.toSpliced(at, 1))}
              />
            </div>
          </li>
        ))}
      </ol>
      {entries.length < pageLimits.list && (
        <div>
          <Button kind="secondary" icon={Plus} onClick={() => set([...entries, blank])}>
            Add {one}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
