import { formatDate } from '@fellowship/schema/dates'
import { bin, type BinnedTeaching } from '@fellowship/schema/teachings/teachings.contract'
import { binTexts } from '@fellowship/schema/teachings/teachings.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { Bin, BinRow } from '../../ui/bin.tsx'

/** Teachings that were deleted within the last 30 days, each with a button that restores it. */
export function TeachingBin() {
  return (
    <Bin
      title="Deleted teachings"
      description="A deleted teaching and its recording can be restored for 30 days."
      query={useBinnedTeachings()}
      empty={binTexts.empty}
      failed={binTexts.loadFailed}
      keyOf={({ id }) => id}
    >
      {(teaching) => <Row teaching={teaching} />}
    </Bin>
  )
}

function Row({ teaching }: { teaching: BinnedTeaching }) {
  const { mutate, isPending } = useRestoreTeaching()
  const { title, speaker, date, deletedAt, goneAt } = teaching
  return (
    <BinRow
      title={withSpaces(title)}
      about={`${speaker}, ${formatDate(date)}`}
      deletedAt={deletedAt}
      goneAt={goneAt}
      pending={isPending}
      onRestore={() => mutate(teaching)}
    />
  )
}

const useBinnedTeachings = adminQuery(bin.list)

const useRestoreTeaching = adminMutation({
  call: ({ id }: BinnedTeaching) => call(bin.restore, { params: { id } }),
  success: ({ title }) => ({ title: binTexts.restored, description: withSpaces(title) }),
  failure: binTexts.restoreFailed,
  invalidates: [bin.list],
})
