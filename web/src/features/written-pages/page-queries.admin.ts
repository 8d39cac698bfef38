import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import { isFixed, type NewPage, type PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { binMutations } from '../../lib/bin-mutations.ts'
import { conflictingFields, saveOver } from '../../lib/save-over.ts'
import { refreshReplica } from '../sync/refresh-replica.device.ts'

/** The pages of the server, drafts included. */
export const usePagesNow = adminQuery(pages.list)

/** The words of a form: the parts of Home or About, or the fields of another page. */
export type Words = Record<string, unknown>

export const wordsOf = (page: PageRow): Words => {
  const { title, slug, text, inNavigation, draft } = page
  return page.parts ?? { title, slug, text, inNavigation, draft }
}

interface PageToSave {
  /** The page that the form opened with; undefined for a new one. */
  base: PageRow | undefined
  /** Of a new page all of its words. */
  changes: Words
}

export const useSavePage = adminMutation({
  call: ({ base, changes }: PageToSave): Promise<PageRow> =>
    base ? change(base, changes) : call(pages.create, { body: changes as NewPage }),
  success: (_, { base }) => ({ title: base ? pageTexts.updated : pageTexts.created }),
  failure: pageTexts.saveFailed,
  invalidates: [pages.list],
  pendingUntilRefreshed: true,
  // The public pages read the replica on this device.
  onSuccess: refreshReplica,
})

const change = (base: PageRow, changes: Words): Promise<PageRow> =>
  saveOver(
    base,
    changes,
    ({ rev: baseRev, parts }) => {
      const words = isFixed(base.slug) ? { parts: { ...parts, ...changes } } : changes
      return call(pages.update, { params: { id: base.id }, body: { ...words, baseRev } })
    },
    wordsOf,
  )

/** The names of changed words that another administrator has changed otherwise. */
export const conflicts = (base: PageRow, changes: Words, current: PageRow): string[] =>
  conflictingFields(wordsOf(base), changes, wordsOf(current))

export const { useRemove: useDeletePage, useRestore: useRestorePage } = binMutations<PageRow>({
  remove: ({ id, rev }) => call(pages.remove, { params: { id }, query: { baseRev: rev } }),
  restore: ({ id }) => call(pages.restore, { params: { id } }),
  texts: pageTexts,
  titleOf: ({ title }) => title,
  invalidates: [pages.list, pages.bin],
  onSuccess: refreshReplica,
})

/** A chosen file to send, or null to remove the picture. */
interface PictureEdit {
  id: number
  file: File | null
}

export const useChangePagePicture = adminMutation({
  call: ({ id, file }: PictureEdit): Promise<PageRow> =>
    file
      ? call(pages.picture, {
          params: { id },
          files: { picture: file },
          signal: AbortSignal.timeout(uploadTimeoutMs),
        })
      : call(pages.removePicture, { params: { id } }),
  success: (_, { file }) => ({ title: file ? pageTexts.pictureSaved : pageTexts.pictureRemoved }),
  failure: pageTexts.saveFailed,
  invalidates: [pages.list],
  pendingUntilRefreshed: true,
  onSuccess: refreshReplica,
})

/** Deleted pages that can still be restored. */
export const useBinnedPages = adminQuery(pages.bin)
