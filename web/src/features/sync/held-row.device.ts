import { useMemo, useState } from 'react'
import { type DraftKey, dropDraft, readDraft, writeDraft } from '../../lib/drafts.ts'
import type { FormDraft } from '../../lib/zod.form.ts'
import { useAuth } from '../auth/auth-context.tsx'

interface HeldRow<Row> {
  /** The row as it was when the form opened; the fields of a draft as they were when its words were begun. */
  row: Row
  draft: FormDraft
  /** Closes the form and deletes its draft: its words were saved or discarded. */
  close: () => void
}

/**
 * The row that a form edits. It does not change while the form is open, whatever is synced meanwhile: the form saves the
 * difference to it, so that changes of other people to other fields remain. Words that were typed into the form and not saved
 * are here again when it opens for the same person.
 *
 * @param uid of the row; 'new' for one that does not exist yet
 */
export function useHeldRow<Row extends object>(
  kind: string,
  uid: string,
  shown: Row,
  onClose: () => void = () => undefined,
): HeldRow<Row> {
  const owner = useAuth().user?.id
  const [first] = useState(() => {
    const key: DraftKey = { owner, kind, uid }
    return { key, shown, draft: readDraft(key) }
  })
  const [draft, setDraft] = useState(first.draft)
  const row = useMemo(() => ({ ...first.shown, ...draft?.row }), [draft, first])
  const drop = () => dropDraft(first.key)
  return {
    row,
    draft: {
      at: draft?.at,
      words: draft?.words ?? none,
      keep: (words) =>
        Object.keys(words).length > 0
          ? writeDraft(first.key, { at: Date.now(), row: baseOf(row, words), words })
          : drop(),
      drop,
      discard() {
        drop()
        setDraft(undefined)
      },
    },
    close() {
      drop()
      onClose()
    },
  }
}

const none = {}

/** The part of a row that a draft is compared with when it is saved: its fields, the revision, and the second of a note. */
function baseOf(row: object, words: object): object {
  const names = new Set([...Object.keys(words), 'rev', 'seconds'])
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)))
}
