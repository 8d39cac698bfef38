import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { orderBehind } from '@fellowship/schema/elders/display-order'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { elderPlaceholders } from './elders.timings.ts'
import { useDeleteElder, useEldersNow } from './elder-queries.admin.ts'
import { ElderForm } from './elder-management-form.tsx'
import { ElderOrder } from './elder-management-order.tsx'

/** All elders, with buttons to add, edit, reorder and delete. */
export function ElderManagement() {
  const { data } = useEldersNow()
  const [edited, setEdited] = useState<Elder | 'new' | null>(null)
  const [deleted, setDeleted] = useState<Elder | null>(null)
  return (
    <Section
      title="Elders"
      description="They are shown on the Home and About pages in this order. Drag an elder by the handle, or use the arrows."
      actions={
        <Button onClick={() => setEdited('new')}>
          <Plus aria-hidden="true" className="size-5" />
          Add Elder
        </Button>
      }
    >
      <List onEdit={setEdited} onDelete={setDeleted} />
      {edited && (
        <ElderForm
          elder={edited === 'new' ? undefined : edited}
          lastOrder={orderBehind(data ?? [])}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && <DeleteElder elder={deleted} onClose={() => setDeleted(null)} />}
    </Section>
  )
}

interface ListProps {
  onEdit: (elder: Elder) => void
  onDelete: (elder: Elder) => void
}

function List(props: ListProps) {
  const { data, error, refetch } = useEldersNow()
  if (data && data.length > 0) return <ElderOrder elders={data} {...props} />
  if (data) return <EmptyState title="No elders yet">Add the first one with the button above.</EmptyState>
  if (error) return <LoadFailure sentence={elderTexts.fetchFailed} onRetry={() => void refetch()} />
  return (
    <div className="grid gap-3">
      <output className="sr-only">Loading the elders</output>
      {Array.from({ length: elderPlaceholders }, (_, at) => (
        <Skeleton key={at} className="h-32 w-full" />
      ))}
    </div>
  )
}

function DeleteElder({ elder, onClose }: { elder: Elder; onClose: () => void }) {
  const remove = useDeleteElder()
  return (
    <ConfirmDialog
      title="Delete Elder"
      question={elderTexts.confirmDelete(elder.name)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(elder, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}
