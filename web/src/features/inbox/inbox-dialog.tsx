import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import type { InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { useZodForm } from '../../lib/zod.form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'
import { usePublishInbox } from './inbox-queries.admin.ts'

/** Shows the fields that were parsed from the file name, to be corrected and published. */
export function InboxDialog({ item, onClose }: { item: InboxItem; onClose: () => void }) {
  const publish = usePublishInbox()
  const form = useZodForm(teachingFields, textOf(item.parsedData))
  const { errors, isDirty } = form.formState
  return (
    <FormDialog
      title="Correct and Publish"
      description={item.reason}
      onSubmit={form.handleSubmit((fields) => publish.mutate({ item, fields }, { onSuccess: onClose }))}
      onClose={onClose}
      dirty={isDirty}
      submitLabel="Publish"
      pending={publish.isPending}
      pendingLabel="Publishing..."
      problem={publish.error}
    >
      <RecordingFields register={form.register} errors={errors} hasMore={false} />
    </FormDialog>
  )
}
