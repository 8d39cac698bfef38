import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

test('offers an earlier position over five minutes away', async () => {
  const [far, near] = ['Far', 'Near'].map((title, at) =>
    aTeaching({ id: at + 1, uid: `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${at}`, title }),
  )
  await appDatabase().teachings.bulkPut([far!, near!])
  const place = { seconds: 600, duration: 2400, listenedAt: 2000 }
  await appDatabase().positions.bulkPut([
    { ...place, uid: far!.uid, earlier: [{ seconds: 901, listenedAt: 1000 }] },
    { ...place, uid: near!.uid, earlier: [{ seconds: 899, listenedAt: 1000 }] },
  ])
  await testServer({})
  renderSite('/listening')
  const begun = within(await screen.findByRole('region', { name: /^Continue/ }))
  expect(begun.getAllByRole('button', { name: /before$/ }).map(({ textContent }) => textContent)).toEqual([
    'You were at 15:01 before',
  ])
  expect(begun.getAllByRole('listitem')).toHaveLength(2)
})
