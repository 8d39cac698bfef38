import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import type { InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect } from 'react'
import { holdPage } from '../../lib/busy.ts'
import { useZodForm } from '../../lib/zod-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { RecordingFields } from '../uploads/recording-fields.tsx'
import { usePublishInbox } from './inbox.queries.ts'

/** The fields that the name should have held, as far as they could be read, to be corrected and published. */
export function InboxDialog({ item, onClose }: { item: InboxItem; onClose: () => void }) {
  const publish = usePublishInbox()
  const { title, speaker, date, scriptureReference } = item.parsedData
  const form = useZodForm(teachingFields, { title, speaker, date, scriptureReference })
  useEffect(() => holdPage(), [])
  const submit = form.handleSubmit((fields) => publish.mutate({ item, fields }, { onSuccess: onClose }))
  return (
    <Dialog
      title="Correct and Publish"
      description={item.reason}
      onClose={onClose}
      closable={!publish.isPending}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="mt-5 flex flex-col gap-4">
        <RecordingFields register={form.register} errors={form.formState.errors} />
        {publish.error && <FormProblem>{sentenceOfError(publish.error)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={onClose} disabled={publish.isPending}>
            Cancel
          </Button>
          <Button type="submit" pending={publish.isPending} pendingLabel="Publishing...">
            Publish
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
