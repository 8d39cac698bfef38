import {
  visit,
  type VisitChanges,
  visitDetails,
  type VisitDetails,
} from '@fellowship/schema/visit/visit.contract'
import { visitTexts } from '@fellowship/schema/visit/visit.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useEffectEvent, useState } from 'react'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { holdAndAsk } from '../../lib/busy.ts'
import { changedSince, useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useAuth } from '../auth/auth-context.tsx'

export function VisitManagement() {
  return (
    <Section
      title="Plan Your Visit"
      description="Shown on the Home page to people who come for the first time. What you leave empty is left out."
    >
      <Loaded query={useVisitNow()} failure={visitTexts.loadFailed} height="h-96">
        {(details) => <VisitForm details={details} />}
      </Loaded>
    </Section>
  )
}

/** Unsaved changes after another page was opened, until the form is shown again, with the id of their author. */
let unsaved: { userId: number | undefined; changed: Partial<VisitDetails> } | undefined

function VisitForm({ details }: { details: VisitDetails }) {
  /**
   * The texts as last read or saved: unchanged texts are left out, so that they do not undo a change of another
   * administrator.
   */
  const [base, setBase] = useState(details)
  const form = useZodForm(visitDetails, details)
  const { errors, isDirty } = form.formState
  const save = useSaveVisit()
  useEffect(() => (isDirty ? holdAndAsk() : undefined), [isDirty])
  const userId = useAuth().user?.id
  const restore = useEffectEvent(() => {
    const changed = unsaved?.userId === userId ? unsaved?.changed : undefined
    for (const [name, text] of Object.entries(changed ?? {}))
      form.setValue(name as keyof VisitDetails, text, { shouldDirty: true })
    unsaved = undefined
  })
  const keep = useEffectEvent(() => {
    const entered = form.getValues()
    if (isDirty) unsaved = { userId, changed: changedSince(base, entered, entered) }
  })
  useEffect(() => {
    restore()
    return () => keep()
  }, [])
  const submit = form.handleSubmit(async (values) => {
    const saved = await save.mutateAsync(changedSince(base, form.getValues(), values)).catch(() => undefined)
    if (!saved) return
    setBase(saved)
    form.reset(saved)
  })
  return (
    <Card className="admin-box max-w-3xl">
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
        <Field
          label="What to expect"
          hint="How long it takes, what happens, what people wear."
          error={errors.expect?.message}
        >
          {(control) => <Textarea {...control} rows={5} {...form.register('expect')} />}
        </Field>
        <Field label="Children" hint="Where they are during the service." error={errors.forChildren?.message}>
          {(control) => <Textarea {...control} rows={3} {...form.register('forChildren')} />}
        </Field>
        <Field label="Parking" hint="Also for wheelchairs and buses." error={errors.parking?.message}>
          {(control) => <Textarea {...control} rows={3} {...form.register('parking')} />}
        </Field>
        <Field label="Phone" error={errors.phone?.message}>
          {(control) => <Input {...control} type="tel" autoComplete="off" {...form.register('phone')} />}
        </Field>
        {save.error && <FormProblem toasted>{sentenceOfError(save.error)}</FormProblem>}
        <div>
          <Button type="submit" pending={save.isPending} pendingLabel="Saving...">
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** The details of the server, not of this device. */
const useVisitNow = adminQuery(visit.details)

const useSaveVisit = adminMutation({
  call: (changes: VisitChanges) => call(visit.update, { body: changes }),
  success: () => ({ title: visitTexts.updated }),
  failure: visitTexts.updateFailed,
  invalidates: [visit.details],
  pendingUntilRefreshed: true,
})
