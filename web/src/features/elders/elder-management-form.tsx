import { elderPhoto, newElderDefaults } from '@fellowship/schema/elders/elders.limits'
import { type Elder, newElder } from '@fellowship/schema/elders/elders.schema'
import { type ChangeEvent, useId, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { currentOf } from '../../lib/save-over.ts'
import { changedSince, useZodForm } from '../../lib/zod.form.ts'
import { Button } from '../../ui/button.tsx'
import { chosenPicture, type ChosenPicture, useRevokedPreview } from '../../ui/chosen-picture.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { changedSinceOpened } from '../sync/shown-words.device.ts'
import { useHeldRow } from '../sync/held-row.device.ts'
import { ElderPicture } from './elder-picture.tsx'
import { type ElderToSave, useEldersNow, useSaveElder, useSendPhoto } from './elder-queries.admin.ts'

interface ElderFormProps {
  /** `undefined` for a new elder. */
  elder: Elder | undefined
  /** The display number that puts a new elder last. */
  lastOrder: number
  onClose: () => void
}

/** 'Add Elder' and 'Edit Elder': name, role, both bios, display order, and the photo. */
export function ElderForm({ elder, lastOrder, onClose }: ElderFormProps) {
  const [photo, setPhoto] = useState<PhotoChoice>('keep')
  const { row, draft, close } = useHeldRow(
    'elder',
    elder?.uid ?? 'new',
    shownFields(elder, lastOrder),
    onClose,
  )
  const form = useZodForm(fields, row, draft)
  const { saved, save, sending, pending, problem } = useSaveWithPhoto(elder, row)
  const submit = form.handleSubmit(async (values) => {
    if (await save(form.getValues(), values, photo)) close()
  })
  return (
    <FormDialog
      title={elder ? 'Edit Elder' : 'Add Elder'}
      onSubmit={submit}
      onClose={close}
      dirty={form.formState.isDirty || photo !== 'keep'}
      submitLabel={saved ? 'Save' : 'Create'}
      pending={pending}
      pendingLabel={sending ? 'Sending the photo...' : 'Saving...'}
      problem={problem}
      draft={draft}
      changed={useChanges(saved, row)}
    >
      <PhotoField imageUrl={saved?.imageUrl ?? null} choice={photo} onChoose={setPhoto} />
      <TextFields form={form} />
    </FormDialog>
  )
}

/** How the elder differs now from the one that is edited; `elder` is undefined for a new one. */
function useChanges(elder: Elder | undefined, opened: Required<Entered>) {
  const { data } = useEldersNow()
  if (!elder || !data) return undefined
  const now = data.find(({ id }) => id === elder.id)
  return changedSinceOpened(labels, textsOf(opened), now && textsOf(now))
}

type Texts = Pick<Elder, 'name' | 'role' | 'shortBio' | 'extendedBio'>
const textsOf = ({ name, role, shortBio, extendedBio }: Texts) => ({ name, role, shortBio, extendedBio })
const labels = [
  { name: 'name', label: 'Name' },
  { name: 'role', label: 'Role' },
  { name: 'shortBio', label: 'Short Bio' },
  { name: 'extendedBio', label: 'Extended Bio' },
]

function TextFields({ form }: { form: UseFormReturn<Entered, unknown, Valid> }) {
  const { errors } = form.formState
  return (
    <>
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
        hint="Shown on the About page. A blank line starts a new paragraph."
        error={errors.extendedBio?.message}
      >
        {(control) => <Textarea {...control} rows={7} {...form.register('extendedBio')} />}
      </Field>
    </>
  )
}

/** Saves the texts, then the photo. When only the photo fails, the next try updates the elder that was created. */
function useSaveWithPhoto(elder: Elder | undefined, opened: Required<Entered>) {
  const [saved, setSaved] = useState(elder)
  /** The fields as last sent: unchanged fields are left out, so that they do not undo another administrator's change. */
  const [base, setBase] = useState<Entered>(opened)
  const texts = useSaveElder()
  const send = useSendPhoto()

  /** Whether everything was saved; if not, `problem` holds the reason. */
  async function save(entered: Entered, values: Valid, photo: PhotoChoice): Promise<boolean> {
    send.reset()
    const toSave: ElderToSave = saved
      ? {
          id: saved.id,
          base: saved,
          changes: { ...changedSince(base, entered, values), ...(photo === 'remove' && { imageUrl: null }) },
        }
      : { id: undefined, fields: values }
    const done = await texts.mutateAsync(toSave).catch((error: unknown) => {
      // The next press overwrites the words of the other administrator, which the form shows now.
      setSaved((before) => currentOf(error) ?? before)
    })
    if (!done) return false
    setSaved(done)
    setBase(entered)
    if (typeof photo === 'string') return true
    return send.mutateAsync({ id: done.id, photo: photo.file }).then(
      () => true,
      () => false,
    )
  }

  return {
    saved,
    save,
    sending: send.isPending,
    pending: texts.isPending || send.isPending,
    problem: texts.error ?? send.error,
  }
}

const fields = newElder.omit({ imageUrl: true })
type Entered = z.input<typeof fields>
type Valid = z.output<typeof fields>

const shownFields = (elder: Elder | undefined, lastOrder: number): Required<Entered> => ({
  name: elder?.name ?? '',
  role: elder?.role ?? newElderDefaults.role,
  shortBio: elder?.shortBio ?? '',
  extendedBio: elder?.extendedBio ?? '',
  displayOrder: String(elder?.displayOrder ?? lastOrder),
})

/** The change of the photo when the form is saved. */
type PhotoChoice = ChosenPicture | 'keep' | 'remove'

interface PhotoFieldProps {
  imageUrl: string | null
  choice: PhotoChoice
  onChoose: (choice: PhotoChoice) => void
}

/** A preview of the photo with the controls to replace or remove it. Choosing a wrong type or size is refused at once. */
function PhotoField({ imageUrl, choice, onChoose }: PhotoFieldProps) {
  const id = useId()
  const preview = typeof choice === 'string' ? undefined : choice.preview
  useRevokedPreview(preview)
  const present = choice !== 'remove' && (preview ?? imageUrl)
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const picture = chosenPicture(event)
    if (picture) onChoose(picture)
  }
  return (
    <div className="flex flex-wrap items-center gap-5">
      <div className="w-24 shrink-0">
        {preview ? (
          <img
            src={preview}
            alt="As it will be shown"
            className="aspect-4/5 w-full rounded-card bg-sunk object-cover object-[50%_25%]"
          />
        ) : (
          <ElderPicture elder={{ imageUrl: choice === 'remove' ? null : imageUrl }} sizes="6rem" />
        )}
      </div>
      <div className="flex min-w-0 flex-1 basis-32 flex-col items-start gap-2">
        <label htmlFor={id} className="text-small font-medium text-ink">
          Photo <span className="font-normal text-soft">(optional)</span>
        </label>
        <FileInput
          id={id}
          accept={elderPhoto.types.join(',')}
          aria-describedby={`${id}-hint`}
          onChange={pick}
        />
        <p id={`${id}-hint`} className="text-small text-soft">
          JPEG, PNG or WebP, smaller than 5MB.
        </p>
        {present && (
          <Button kind="quiet" className="-ml-2 px-2 text-small" onClick={() => onChoose('remove')}>
            Remove the photo
          </Button>
        )}
      </div>
    </div>
  )
}
