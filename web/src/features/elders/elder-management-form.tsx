import { newElderDefaults } from '@fellowship/schema/elders/elders.limits'
import { newElder, type Elder } from '@fellowship/schema/elders/elders.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { holdPage } from '../../lib/busy.ts'
import { changedSince, useZodForm } from '../../lib/zod-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { useSaveElder, useSendPhoto, type ElderToSave } from './elder-admin.queries.ts'
import { PhotoField, type PhotoChoice } from './elder-photo-field.tsx'

const fields = newElder.omit({ imageUrl: true })

/** SPEC §2: name, role, short bio, extended bio, display order, and the photo. */
export function ElderForm({ elder, onClose }: { elder: Elder | undefined; onClose: () => void }) {
  /** Once created it is changed, not created again, should its photo be refused. */
  const [saved, setSaved] = useState(elder)
  const [photo, setPhoto] = useState<PhotoChoice>('keep')
  const form = useZodForm(fields, shown(elder))
  const { errors } = form.formState
  const save = useSaveElder()
  const send = useSendPhoto()
  const busy = save.isPending || send.isPending
  const problem = save.error ?? send.error
  useEffect(() => holdPage(), [])
  /** What the server has of this form: what another administrator changed besides is not taken back. */
  const [base, setBase] = useState<z.input<typeof fields>>(() => shown(elder))
  const submit = form.handleSubmit(async (values) => {
    send.reset()
    const entered = form.getValues()
    const toSave: ElderToSave = saved
      ? {
          id: saved.id,
          changes: { ...changedSince(base, entered, values), ...(photo === 'remove' && { imageUrl: null }) },
        }
      : { id: undefined, fields: values }
    const done = await save.mutateAsync(toSave).catch(() => undefined)
    if (!done) return
    setSaved(done)
    setBase(entered)
    if (typeof photo !== 'string') {
      const sent = await send.mutateAsync({ id: done.id, photo: photo.file }).catch(() => undefined)
      if (!sent) return
    }
    onClose()
  })
  return (
    <Dialog title={elder ? 'Edit Elder' : 'Add Elder'} onClose={onClose} closable={!busy}>
      <form noValidate onSubmit={(event) => void submit(event)} className="mt-5 flex flex-col gap-4">
        <PhotoField imageUrl={saved?.imageUrl ?? null} choice={photo} onChoose={setPhoto} />
        <Field label="Name" error={errors.name?.message}>
          {(control) => <Input {...control} data-autofocus {...form.register('name')} />}
        </Field>
        <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
          <Field label="Role" error={errors.role?.message}>
            {(control) => <Input {...control} {...form.register('role')} />}
          </Field>
          <Field label="Display Order" error={errors.displayOrder?.message}>
            {(control) => <Input {...control} inputMode="numeric" {...form.register('displayOrder')} />}
          </Field>
        </div>
        <p className="-mt-2 text-small text-soft">Lower numbers appear first; others move down.</p>
        <Field label="Short Bio" hint="Shown on the card of the Home page." error={errors.shortBio?.message}>
          {(control) => <Textarea {...control} rows={3} {...form.register('shortBio')} />}
        </Field>
        <Field
          label="Extended Bio"
          hint="Shown on the About page. A blank line begins a new paragraph."
          error={errors.extendedBio?.message}
        >
          {(control) => <Textarea {...control} rows={7} {...form.register('extendedBio')} />}
        </Field>
        {problem && <FormProblem toasted>{sentenceOfError(problem)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button
            type="submit"
            pending={busy}
            pendingLabel={send.isPending ? 'Sending the photo...' : 'Saving...'}
          >
            {saved ? 'Save' : 'Create'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const shown = (elder: Elder | undefined) => ({
  name: elder?.name ?? '',
  role: elder?.role ?? newElderDefaults.role,
  shortBio: elder?.shortBio ?? '',
  extendedBio: elder?.extendedBio ?? '',
  displayOrder: String(elder?.displayOrder ?? newElderDefaults.displayOrder),
})
