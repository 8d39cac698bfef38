import { shownTitle, withSpaces } from '@fellowship/schema/teachings/shown-title'
import { addedWords, textOf } from '@fellowship/schema/teachings/teaching-words'
import { type Teaching, teachingEdit, type TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, Pencil, Share2, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Choice } from '../../ui/choice.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { showToast } from '../../ui/toast.ts'
import { Tooltip, TooltipProvider } from '../../ui/tooltip.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { useDateQuestion } from '../uploads/date-question.list.ts'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'

const ShareDialog = lazyPart(() => import('./share-dialog.tsx'), 'ShareDialog', asDialog)

/** The open dialog, with the teaching as shown when the dialog opened. */
export interface RowChange {
  what: 'edit' | 'delete'
  teaching: Teaching
}

interface RowToolsProps {
  teaching: Teaching
  /** The listening position in seconds, for a link. */
  momentOf: (teaching: Teaching) => number
  onChange: (change: RowChange) => void
  /** Further choices in the sheet of a phone; `close` closes the sheet. */
  choices: (teaching: Teaching, close: () => void) => ReactNode
}

/** Edit and delete, for signed-in users; on a phone behind one button, with share. */
export function RowTools(props: RowToolsProps) {
  return (
    <>
      <Buttons {...props} />
      <MoreSheet {...props} />
    </>
  )
}

function Buttons({ teaching, onChange }: RowToolsProps) {
  const title = shownTitle(teaching)
  return (
    <div className="flex max-sm:hidden">
      <TooltipProvider>
        <Tooltip text="Edit">
          <IconButton
            label={`Edit ${title}`}
            icon={Pencil}
            aria-haspopup="dialog"
            onClick={() => onChange({ what: 'edit', teaching })}
          />
        </Tooltip>
        <Tooltip text="Delete">
          <IconButton
            kind="danger"
            label={`Delete ${title}`}
            icon={Trash2}
            aria-haspopup="dialog"
            onClick={() => onChange({ what: 'delete', teaching })}
          />
        </Tooltip>
      </TooltipProvider>
    </div>
  )
}

function MoreSheet({ teaching, momentOf, onChange, choices }: RowToolsProps) {
  const [open, setOpen] = useState(false)
  const [moment, setMoment] = useState<number | null>(null)
  const title = shownTitle(teaching)
  const choose = (then: () => void) => () => {
    setOpen(false)
    then()
  }
  return (
    <div className="sm:hidden">
      <IconButton label={`More for ${title}`} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Ellipsis className="size-6" />
      </IconButton>
      {open && (
        <Dialog title={title} width="narrow" onClose={() => setOpen(false)}>
          <ul className="mt-3 flex flex-col">
            <Choice icon={Share2} onClick={choose(() => setMoment(momentOf(teaching)))}>
              Share
            </Choice>
            {choices(teaching, () => setOpen(false))}
            <Choice icon={Pencil} onClick={choose(() => onChange({ what: 'edit', teaching }))}>
              Edit
            </Choice>
            <Choice danger icon={Trash2} onClick={choose(() => onChange({ what: 'delete', teaching }))}>
              Delete
            </Choice>
          </ul>
        </Dialog>
      )}
      {moment !== null && <ShareDialog teaching={teaching} moment={moment} onClose={() => setMoment(null)} />}
    </div>
  )
}

export function ChangeDialog({ what, teaching, onClose }: RowChange & { onClose: () => void }) {
  const Shown = what === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  return <Shown teaching={teaching} onClose={onClose} />
}

/** 'Edit Sermon': Update needs title, speaker and date; a replacement recording is optional. */
export function EditTeachingDialog({ teaching, onClose }: { teaching: Teaching; onClose: () => void }) {
  const [audioFile, setAudioFile] = useState<File>()
  const update = useUpdateTeaching()
  const form = useZodForm(teachingEdit.omit({ baseRev: true }), shownFields(teaching))
  const [title, speaker, date, scripture] = useWatch({
    control: form.control,
    name: ['title', 'speaker', 'date', 'scriptureReference'],
  })
  const { ask, question } = useDateQuestion()
  const complete = [title, speaker, date].every((value) => value.trim() !== '')
  const submit = form.handleSubmit((edit) =>
    ask(edit.date === teaching.date ? [] : [edit.date], () =>
      update.mutate(
        { teaching, edit: { ...edit, title: storedTitle(teaching, edit.title) }, audioFile },
        { onSuccess: onClose },
      ),
    ),
  )
  return (
    <FormDialog
      title="Edit Sermon"
      onSubmit={submit}
      onClose={onClose}
      dirty={form.formState.isDirty || audioFile !== undefined}
      submitLabel="Update"
      submittable={complete}
      pending={update.isPending}
      pendingLabel={audioFile ? uploadQueueTexts.saving : 'Updating...'}
      problem={update.error}
    >
      <RecordingFields
        register={form.register}
        scripture={scripture}
        errors={form.formState.errors}
        hasMore={addedWords.some((name) => teaching[name])}
      />
      <Field label="Replacement audio" optional hint="Leave it empty to keep the current recording.">
        {(control) => (
          <FileInput
            {...control}
            accept="audio/*"
            onChange={(event) => setAudioFile(event.target.files?.[0])}
          />
        )}
      </Field>
      {question && <ConfirmDialog {...question} />}
    </FormDialog>
  )
}

const shownFields = (teaching: Teaching) => ({ ...textOf(teaching), title: withSpaces(teaching.title) })

/** An unedited title stays with its underscores, which the form shows as spaces. */
const storedTitle = (teaching: Teaching, entered: string) =>
  entered === withSpaces(teaching.title) ? teaching.title : entered

/** Confirms, saves the deletion in the outbox and closes; a toast reports the outcome. */
export function DeleteTeachingDialog({ teaching, onClose }: { teaching: Teaching; onClose: () => void }) {
  const remove = useDeleteTeaching()
  return (
    <ConfirmDialog
      title="Delete Teaching"
      question={teachingTexts.confirmDelete}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(teaching, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

interface TeachingUpdate {
  teaching: Teaching
  edit: TeachingEdit
  audioFile: File | undefined
}

/** Saves an edit in the outbox; resolves when it is stored, and the outbox sends it. */
function useUpdateTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async ({ teaching, edit, audioFile }: TeachingUpdate) => {
        const device = await import('./outbox.device.ts')
        if (audioFile) await device.replaceRecording(teaching, edit, audioFile, idOf(user))
        else await device.saveEdit(teaching, edit, idOf(user))
      },
      onError: () => toastError(teachingTexts.updateFailed),
    },
    queryClient,
  )
}

function useDeleteTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async (teaching: Teaching) => {
        const device = await import('./outbox.device.ts')
        await device.saveDeletion(teaching, idOf(user))
      },
      onError: () => toastError(teachingTexts.deleteFailed),
    },
    queryClient,
  )
}

/** The tools of a row are rendered for signed-in users only. */
function idOf(user: { id: number } | null): number {
  if (!user) throw new Error('No user is signed in')
  return user.id
}

const toastError = (description: string) =>
  showToast({ title: teachingTexts.errorTitle, description, kind: 'destructive' })
