import {
  type Site,
  type SiteChanges,
  siteFields,
  type SiteFields,
} from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { type ReactNode, useEffect, useState } from 'react'
import type { DefaultValues, UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import { holdAndAsk } from '../../lib/busy.ts'
import { useChurch } from '../../lib/use-church.ts'
import { changedSince, isSameWord, useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { ConflictChoice, withoutFields } from '../../ui/conflict-choice.tsx'
import { FormNotes } from '../../ui/form-notes.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { useHeldRow } from '../sync/held-row.device.ts'
import { conflictingFields, currentOf } from '../../lib/save-over.ts'
import { useSaveSite } from './site-queries.admin.ts'
import { siteLabels, shownField } from './site-words.ts'

/** What a group of fields needs, on the administration's screen and in a wizard. */
export interface SiteGroupProps {
  /** As the server has it now. */
  site: Site
  submitLabel?: string
  /** Also called if nothing was changed. */
  onSaved?: (site: Site) => void
}

interface SiteFormProps<Fields extends SiteChanges> extends SiteGroupProps {
  /** Its unsaved words are kept under this name. */
  group: string
  /** Of the fields that the form has. */
  names: readonly (keyof Fields & keyof SiteFields)[]
  children: (form: UseFormReturn<Fields, unknown, Fields>) => ReactNode
}

/**
 * A form for some fields of the site. It saves the changed ones alone, over the revision that it opened with; of a field that two
 * administrators have changed, it asks whose to take.
 */
export function SiteForm<Fields extends SiteChanges>({
  group,
  names,
  site,
  submitLabel = 'Save',
  onSaved,
  children,
}: SiteFormProps<Fields>) {
  const fieldsOf = (of: object) => schemaOf(names).parse(of) as Fields
  const { row, draft } = useHeldRow('site', group, { ...fieldsOf(site), rev: site.rev })
  /** As last saved by this form. */
  const [saved, setSaved] = useState<Site>()
  const [conflict, setConflict] = useState<Conflict>()
  const base = saved ?? row
  const form = useZodForm(
    schemaOf(names) as unknown as z.ZodType<Fields, Fields>,
    fieldsOf(base) as DefaultValues<Fields>,
    draft,
  )
  const { isDirty } = form.formState
  const save = useSaveSite()
  const newest = useNewest(site)
  useEffect(() => (isDirty ? holdAndAsk() : undefined), [isDirty])

  const send = async (changes: SiteChanges, over: typeof base) => {
    const answer = await save.mutateAsync({ base: over, changes }).catch((error: unknown) => {
      const current = currentOf<Site>(error)
      const fields = current ? conflictingFields(over, changes, current) : []
      setConflict(current && fields.length > 0 ? { current, fields, changes } : undefined)
    })
    if (!answer) return
    setConflict(undefined)
    setSaved(answer)
    form.reset(fieldsOf(answer))
    draft.drop()
    onSaved?.(answer)
  }
  const submit = form.handleSubmit(async (values) => {
    const changes = changedSince(fieldsOf(base), form.getValues(), values) as SiteChanges
    // Over the newest revision if that differs in other fields alone.
    const over = conflictingFields(base, changes, newest).length > 0 ? base : { ...base, rev: newest.rev }
    if (Object.keys(changes).length > 0) return send(changes, over)
    onSaved?.({ ...site, ...base })
  })
  return (
    <>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
        <FormNotes
          draft={saved ? undefined : draft}
          changed={isDirty && !conflict ? changesSince(names, base, newest) : []}
        />
        {children(form)}
        {save.error && !conflict && <FormProblem toasted>{sentenceOfError(save.error)}</FormProblem>}
        {!conflict && (
          <div>
            <Button type="submit" pending={save.isPending} pendingLabel="Saving...">
              {submitLabel}
            </Button>
          </div>
        )}
      </form>
      {conflict && (
        <ConflictChoice
          sentence={siteTexts.conflict}
          fields={conflict.fields.map((name) => ({
            name,
            label: siteLabels[name],
            mine: shownField(name, conflict.changes),
            theirs: shownField(name, conflict.current),
          }))}
          pending={save.isPending}
          onDecided={(theirs) => void send(withoutFields(conflict.changes, theirs), conflict.current)}
        />
      )}
    </>
  )
}

interface Conflict {
  current: Site
  /** Changed by both. */
  fields: readonly (keyof SiteChanges)[]
  changes: SiteChanges
}

const schemaOf = (names: readonly PropertyKey[]): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(siteFields.shape).filter(([name]) => names.includes(name)),
    ) as z.ZodRawShape,
  )

/** The site as last asked for, or as synced since. */
function useNewest(asked: Site): Site {
  const synced = useChurch()
  return synced.rev > asked.rev ? synced : asked
}

const changesSince = (names: readonly (keyof SiteFields)[], base: Partial<Site>, now: Site) =>
  names
    .filter((name) => !isSameWord(base[name], now[name]))
    .map((name) => ({ label: siteLabels[name], now: shownField(name, now) }))
