import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { addedWords, teachingWords, textOf, wordNames } from '@fellowship/schema/teachings/teaching-words'
import { type Teaching, teachingEdit, type TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { lazyPart, optional } from '../../ui/lazy-part.tsx'
import { showToast } from '../../ui/toast.ts'
import type { Player } from '../audio/player/player-state.ts'
import { usePlayer } from '../audio/player/use-player.ts'
import { signedIn, useAuth } from '../auth/auth-context.tsx'
import { useHeldRow } from '../sync/held-row.device.ts'
import { changedSinceOpened } from '../sync/shown-words.device.ts'
import { useDateQuestion } from '../uploads/date-question.list.ts'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'
import { emptyOutboxView } from './library.ts'
import { useLibrary } from './use-library.view.ts'

const CaptionField = lazyPart(() => import('../transcripts/caption-field.tsx'), 'CaptionField', optional)
const HandoutFields = lazyPart(() => import('../handouts/handout-fields.tsx'), 'HandoutFields', optional)
const SoundCheck = lazyPart(() => import('../uploads/sound/sound-check.tsx'), 'SoundCheck')

/** An open dialog, and the teaching as it was shown at the press. */
export interface RowChange {
  what: 'edit' | 'delete'
  teaching: Teaching
}

export function ChangeDialog({ what, teaching, onClose }: RowChange & { onClose: () => void }) {
  const Shown = what === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  return <Shown teaching={teaching} onClose={onClose} />
}

/** 'Edit Sermon': Update needs title, speaker and date; a replacement recording is optional. */
export function EditTeachingDialog({
  teaching: shown,
  onClose,
}: {
  teaching: Teaching
  onClose: () => void
}) {
  const [audioFile, setAudioFile] = useState<File>()
  const [captions, setCaptions] = useState<File>()
  const update = useUpdateTeaching()
  const { row: teaching, draft, close } = useHeldRow('teaching', shown.uid, shown, onClose)
  const form = useZodForm(teachingEdit.omit({ baseRev: true }), shownFields(teaching), draft)
  const [title, speaker, date, scripture, chapters = ''] = useWatch({
    control: form.control,
    name: ['title', 'speaker', 'date', 'scriptureReference', 'chapters'],
  })
  const player = usePlayer()
  const { ask, question } = useDateQuestion()
  const complete = [title, speaker, date].every((value) => value.trim() !== '')
  const submit = form.handleSubmit((edit) =>
    ask(edit.date === teaching.date ? [] : [edit.date], () =>
      update.mutate(
        { teaching, edit: { ...edit, title: storedTitle(teaching, edit.title) }, audioFile, captions },
        { onSuccess: close },
      ),
    ),
  )
  return (
    <FormDialog
      title="Edit Sermon"
      onSubmit={submit}
      onClose={close}
      dirty={form.formState.isDirty || audioFile !== undefined || captions !== undefined}
      submitLabel="Update"
      submittable={complete}
      pending={update.isPending}
      pendingLabel={audioFile ? uploadQueueTexts.saving : 'Updating...'}
      problem={update.error}
      draft={draft}
      changed={useChanges(teaching)}
    >
      <RecordingFields
        register={form.register}
        scripture={scripture}
        errors={form.formState.errors}
        hasMore={addedWords.some((name) => teaching[name] || draft.words[name])}
        {...(teaching.audioUrl && {
          chapters: {
            value: chapters,
            onChange: (text: string) =>
              form.setValue('chapters', text, {
                shouldDirty: true,
                shouldValidate: form.formState.isSubmitted,
              }),
            now: () => secondOf(player, teaching.uid),
          },
        })}
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
      {audioFile && <SoundCheck file={audioFile} sent={audioFile} />}
      {(teaching.audioUrl ?? audioFile) && (
        <CaptionField label="Text of the recording" optional chosen={captions} onChosen={setCaptions} />
      )}
      <HandoutFields teaching={teaching} />
      {question && <ConfirmDialog {...question} />}
    </FormDialog>
  )
}

/** The second at which the teaching is, if it is open. */
function secondOf(player: Player | null, uid: string): number | undefined {
  const { recording, position } = player?.state() ?? {}
  return recording?.uid === uid ? position : undefined
}

/** How the teaching differs now from the one that is edited. */
function useChanges(teaching: Teaching) {
  const { user } = useAuth()
  const { library, outbox } = useLibrary(user?.id)
  // Signed out, and until the outbox is read, the person's own pending changes are not shown.
  if (!user || outbox === emptyOutboxView || library.status !== 'ready' || library.partial) return undefined
  const now = library.rows.find(({ uid }) => uid === teaching.uid)
  return changedSinceOpened(labels, textOf(teaching), now && textOf(now))
}

const labels = wordNames.map((name) => ({ name, label: teachingWords[name].label }))

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
  captions: File | undefined
}

/** Saves an edit in the outbox; resolves when it is stored, and the outbox sends it. */
function useUpdateTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async ({ teaching, edit, audioFile, captions }: TeachingUpdate) => {
        const device = await import('./outbox.device.ts')
        const userId = signedIn(user)
        const text =
          captions && (await (await import('../transcripts/caption-file.ts')).readCaptionFile(captions))
        if (audioFile) return device.replaceRecording(teaching, edit, audioFile, userId, text?.bytes)
        const kept =
          text && (await (await import('../transcripts/waiting-texts.ts')).saveFile(teaching, text, userId))
        await device.saveEdit(teaching, edit, userId)
        if (kept) showToast(kept)
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
        await device.saveDeletion(teaching, signedIn(user))
      },
      onError: () => toastError(teachingTexts.deleteFailed),
    },
    queryClient,
  )
}

const toastError = (description: string) =>
  showToast({ title: teachingTexts.errorTitle, description, kind: 'destructive' })
