import {
  type AboutParts,
  fixedPages,
  type HomeParts,
  isFixed,
  newPage,
  type PageRow,
} from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { holdAndAsk } from '../../lib/busy.ts'
import { useChurch } from '../../lib/use-church.ts'
import { currentOf } from '../../lib/save-over.ts'
import { changedSince, useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { ConflictChoice, withoutFields } from '../../ui/conflict-choice.tsx'
import { FormNotes } from '../../ui/form-notes.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { PictureField } from '../../ui/picture-field.tsx'
import { Section } from '../../ui/section.tsx'
import { useHeldRow } from '../sync/held-row.device.ts'
import { AboutWords } from './about-words.tsx'
import { ServiceParts, Welcome } from './home-words.view.tsx'
import { pageLabels, partFields, PartFields, TextPageFields } from './page-fields.tsx'
import { PageWords } from './page-words.tsx'
import {
  conflicts,
  useChangePagePicture,
  usePagesNow,
  useSavePage,
  type Words,
  wordsOf,
} from './page-queries.admin.ts'

interface PageEditorProps {
  /** Undefined for a new page. */
  page: PageRow | undefined
  onClose: () => void
}

/** The form of a page, and beside it the page as it will be. */
export function PageEditor({ page, onClose }: PageEditorProps) {
  const slug = page?.slug ?? ''
  const schema = (isFixed(slug) ? fixedPages[slug] : newPage) as unknown as z.ZodType<Words, Words>
  const { row, draft, close } = useHeldRow('page', page?.uid ?? 'new', page ? wordsOf(page) : blank, onClose)
  const form = useZodForm<Words, Words>(schema, row, draft)
  const save = useSavePage()
  const picture = usePicture(page)
  const [conflict, setConflict] = useState<Conflict>()
  const { isDirty } = form.formState
  useEffect(() => (isDirty ? holdAndAsk() : undefined), [isDirty])
  const send = async (changes: Words, base: PageRow | undefined) => {
    if (base && Object.keys(changes).length === 0) return close()
    const saved = await save.mutateAsync({ base, changes }).catch((error: unknown) => {
      const current = currentOf<PageRow>(error)
      const names = base && current ? conflicts(base, changes, current) : []
      setConflict(current && names.length > 0 ? { current, names, changes } : undefined)
    })
    if (saved) close()
  }
  const submit = form.handleSubmit((values) => {
    if (!page) return send(values, undefined)
    const changes = changedSince(row, form.getValues(), values)
    // The words of a draft may be older than the page.
    const base = { ...page, ...(page.parts ? { parts: row } : row) }
    const names = conflicts(base, changes, page)
    if (names.length === 0) return send(changes, page)
    setConflict({ current: page, names, changes })
    return undefined
  })
  return (
    <Section
      title={page ? `Edit ${page.title}` : 'Add Page'}
      actions={
        <Button kind="quiet" icon={ArrowLeft} onClick={onClose}>
          All pages
        </Button>
      }
    >
      <div className="grid gap-10 lg:grid-cols-2">
        <div className="min-w-0">
          <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
            <FormNotes draft={draft} />
            {isFixed(slug) ? (
              <PartFields form={form} slug={slug} />
            ) : (
              <TextPageFields form={form} isNew={!page} />
            )}
            {save.error && !conflict && <FormProblem toasted>{sentenceOfError(save.error)}</FormProblem>}
            {!conflict && (
              <div className="flex flex-wrap gap-3">
                <Button type="submit" pending={save.isPending} pendingLabel="Saving...">
                  {page ? 'Save' : 'Create'}
                </Button>
                <Button kind="secondary" onClick={close} disabled={save.isPending}>
                  Cancel
                </Button>
              </div>
            )}
          </form>
          {page && !isFixed(slug) && <PagePicture id={page.id} imageUrl={picture} />}
          {conflict && (
            <ConflictChoice
              sentence={pageTexts.changed}
              fields={conflict.names.map((name) => ({
                name,
                label: labelOf(slug, name),
                mine: shown(conflict.changes[name]),
                theirs: shown(wordsOf(conflict.current)[name]),
              }))}
              pending={save.isPending}
              onDecided={(theirs) => void send(withoutFields(conflict.changes, theirs), conflict.current)}
            />
          )}
        </div>
        <Preview slug={slug} words={form.watch()} imageUrl={picture} />
      </div>
    </Section>
  )
}

/** As last saved, also since the form was opened: a change of the picture changes none of its words. */
function usePicture(page: PageRow | undefined): string | null {
  const { data = [] } = usePagesNow()
  return (data.find(({ id }) => id === page?.id) ?? page)?.imageUrl ?? null
}

/** The picture under the title. */
function PagePicture({ id, imageUrl }: Pick<PageRow, 'id' | 'imageUrl'>) {
  const { mutate, isPending, error } = useChangePagePicture()
  return (
    <div className="mt-8 border-t border-line pt-5">
      <PictureField
        label="Picture"
        hint="Under the title and with shared links; saved as you choose it. JPEG, PNG or WebP, smaller than 5MB."
        imageUrl={imageUrl}
        none="None"
        pending={isPending}
        error={error}
        onChange={(file) => mutate({ id, file })}
      />
    </div>
  )
}

const blank: Words = { title: '', slug: '', text: '', inNavigation: true, draft: false }

interface Conflict {
  current: PageRow
  /** Changed by both. */
  names: readonly string[]
  changes: Words
}

const labelOf = (slug: string, name: string): string =>
  (isFixed(slug) ? partFields[slug] : pageLabels).find((field) => field.name === name)?.label ?? name

/** Words as people read them: the entries of a list with blank lines between them. */
function shown(words: unknown): string {
  if (Array.isArray(words)) return words.map((entry: object) => Object.values(entry).join('\n')).join('\n\n')
  return typeof words === 'boolean' ? (words ? 'Yes' : 'No') : String(words) || '(empty)'
}

/** The page as it will be, smaller, without anything to press. */
function Preview({ slug, words, imageUrl }: { slug: string; words: Words; imageUrl: string | null }) {
  return (
    <section aria-label="Preview" className="min-w-0">
      <p className="mb-2 text-small font-medium">Preview</p>
      <div
        inert
        className="overflow-hidden rounded-card border border-line bg-paper p-5 shadow-soft"
        style={{ zoom: 0.65 }}
      >
        {slug === 'home' ? (
          <HomePreview parts={words as HomeParts} />
        ) : slug === 'about' ? (
          <AboutWords
            parts={words as AboutParts}
            elders={<p className="text-soft">The elders follow here.</p>}
          />
        ) : (
          <PageWords title={String(words['title'])} text={String(words['text'])} imageUrl={imageUrl} />
        )}
      </div>
    </section>
  )
}

function HomePreview({ parts }: { parts: HomeParts }) {
  const { name } = useChurch()
  return (
    <>
      <Welcome parts={parts} name={name} />
      <div className="mt-16">
        <ServiceParts parts={parts} />
      </div>
      <h2 className="mt-16 text-section">{parts.eldersHeading}</h2>
      <p className="measure mt-3 text-soft">{parts.elders}</p>
      <h2 className="mt-16 text-section">{parts.placeHeading}</h2>
    </>
  )
}
