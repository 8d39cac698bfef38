import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { render, screen } from '@testing-library/react'
import { beforeAll, expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { testServer } from '../../testing/test-server.ts'

// The banner is rendered without a page around it.
vi.mock('@tanstack/react-router', async (load) => ({
  ...(await load<Record<string, unknown>>()),
  useNavigate: () => () => undefined,
}))

/** Before the imports of the test, as in a browser that blocks site data. */
beforeAll(() => {
  vi.stubGlobal('indexedDB', undefined)
  return () => vi.unstubAllGlobals()
})

test('an edit is sent without IndexedDB, with a warning', async () => {
  const { appDatabase } = await import('@fellowship/sync/client/database/app-database')
  const { pageQueues } = await import('./page-queues.ts')
  const { saveEdit } = await import('../teachings/outbox.device.ts')
  const { OutboxStatus } = await import('./outbox-status.tsx')
  const { isPageHeld } = await import('../../lib/busy.ts')
  const { UploadQueue } = await import('../uploads/upload-queue.tsx')
  const teaching = aTeaching({ id: 5 })
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const asked = await testServer({
    'PUT /api/teachings/5': async () => {
      await answered
      return { body: { ...teaching, title: 'Hope for all', rev: teaching.rev + 1 } }
    },
  })
  pageQueues().setUser(7)
  render(<OutboxStatus userId={7} />)
  expect(await screen.findByText('This browser blocks storage for this site.')).toBeTruthy()
  expect(screen.getByText('Keep this page open until everything is sent.')).toBeTruthy()
  render(<UploadQueue jobs={[anUploadJob({ state: 'queued' })]} userId={7} />)
  expect(await screen.findByText(uploadQueueTexts.keepOpen)).toBeTruthy()
  const { speaker, date } = teaching
  await saveEdit(teaching, { title: 'Hope for all', speaker, date, scriptureReference: '' }, 7)
  await expect.poll(isPageHeld).toBe(true)
  answer()
  await expect.poll(() => appDatabase().outbox.count()).toBe(0)
  await expect.poll(isPageHeld).toBe(false)
  expect(asked.some(({ path }) => path === '/api/teachings/5')).toBe(true)
  // The test imports half of the site's code, which takes long on a busy machine.
}, 60_000)
