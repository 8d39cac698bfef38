import type { Binned } from '@fellowship/schema/sync/written-calls'
import { pagePath } from '@fellowship/schema/written-pages/page-text'
import { isFixed, type PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Bin, BinRow } from '../../ui/bin.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { PageEditor } from './page-editor.tsx'
import { useBinnedPages, useDeletePage, usePagesNow, useRestorePage } from './page-queries.admin.ts'

/** The pages, or the editor of one of them. */
export function PageManagement() {
  const [open, setOpen] = useState<PageRow | 'new'>()
  return open ? (
    <PageEditor page={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
  ) : (
    <PageList onOpen={setOpen} />
  )
}

function PageList({ onOpen }: { onOpen: (page: PageRow | 'new') => void }) {
  return (
    <>
      <Section
        title="Pages"
        description="The words of Home and About, and further pages such as children, small groups or giving."
        actions={
          <Button icon={Plus} onClick={() => onOpen('new')}>
            Add Page
          </Button>
        }
      >
        <Loaded query={usePagesNow()} failure={pageTexts.loadFailed} height="h-96">
          {(rows) => (
            <ul className="grid gap-3">
              {rows.map((page) => (
                <PageLine key={page.uid} page={page} onEdit={() => onOpen(page)} />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      <Bin
        title="Deleted pages"
        description="A deleted page can be restored for 30 days."
        query={useBinnedPages()}
        empty={pageTexts.binEmpty}
        failed={pageTexts.loadFailed}
        keyOf={({ id }) => id}
      >
        {(page) => <DeletedPage page={page} />}
      </Bin>
    </>
  )
}

function PageLine({ page, onEdit }: { page: PageRow; onEdit: () => void }) {
  const { title, slug, inNavigation, draft } = page
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-raised p-4 shadow-soft">
      <div className="min-w-0 grow basis-32 wrap-anywhere">
        <h3 className="text-xl">
          {title} {draft && <Badge>Draft</Badge>}
        </h3>
        <p className="text-soft">
          {pagePath(page)}
          {!isFixed(slug) && !inNavigation && ', not in the navigation'}
        </p>
      </div>
      <div className="flex flex-wrap justify-end">
        <IconButton label={`Edit ${title}`} icon={Pencil} onClick={onEdit} />
        {!isFixed(slug) && (
          <IconButton
            kind="danger"
            label={`Delete ${title}`}
            icon={Trash2}
            onClick={() => openHeld(DeletePage, { page })}
          />
        )}
      </div>
    </li>
  )
}

function DeletePage({ page, onClose }: { page: PageRow; onClose: () => void }) {
  const remove = useDeletePage()
  return (
    <ConfirmDialog
      title="Delete Page"
      question={pageTexts.confirmDelete(page.title)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(page, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

function DeletedPage({ page }: { page: Binned<PageRow> }) {
  const { mutate, isPending } = useRestorePage()
  return <BinRow {...page} about={pagePath(page)} pending={isPending} onRestore={() => mutate(page)} />
}
