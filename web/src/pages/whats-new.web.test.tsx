import { sessionGapMs } from '@fellowship/schema/whats-new/whats-new'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { recordNewTeachings, recordPageView } from '@fellowship/sync/client/whats-new/whats-new.store'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'
// Imported in advance, as the test would otherwise wait for this lazy page.
import './teaching.tsx'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`
const titles = () => screen.queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)
const rowOf = (title: string) => screen.getByRole('heading', { level: 3, name: title }).closest('li')!
const mark = 'New since your last visit'

test('marks, counts and lists teachings since the last visit', async () => {
  const db = appDatabase()
  await db.teachings.bulkPut(
    [1, 2, 3].map((id) =>
      aTeaching({ id, uid: uid(id), rev: id, title: `Study ${id}`, date: `2026-0${id}-01` }),
    ),
  )
  await writeSyncState(db, { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  await recordPageView(Date.now() - 2 * sessionGapMs, db)
  await recordNewTeachings(db, { came: [uid(1), uid(3)], left: [] })
  const clearAppBadge = vi.fn(async () => undefined)
  Object.assign(navigator, { clearAppBadge })
  await testServer({})
  renderSite('/teaching')
  const link = await screen.findByRole('link', { name: '2 new since your last visit' })
  await waitFor(() => expect(rowOf('Study 3').textContent).toContain(mark))
  expect(rowOf('Study 2').textContent).not.toContain(mark)
  expect(clearAppBadge).toHaveBeenCalled()
  await userEvent.click(link)
  await screen.findByRole('heading', { level: 2, name: mark })
  expect(titles()).toEqual(['Study 3', 'Study 1'])
})
