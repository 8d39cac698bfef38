import { chaptersOf } from '@fellowship/schema/chapters/chapters'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { EditTeachingDialog } from '../teachings/teaching-dialogs.tsx'
import { ChapterList, SkipToTeaching } from './chapter-list.tsx'

const text = '0:00 Welcome\n12:30 The good shepherd (teaching starts here)'
const chapters = chaptersOf(text)

afterEach(async () => {
  deviceQueues().setUser(undefined)
  await appDatabase().outbox.clear()
})

test('marks the chapter that plays, and plays the pressed one', async () => {
  const play = vi.fn()
  render(<ChapterList chapters={chapters} current={1} onPlay={play} />)
  const [first, second] = screen.getAllByRole('button')
  expect([first, second].map((each) => each!.getAttribute('aria-current'))).toEqual(['false', 'true'])
  await userEvent.click(second!)
  expect(play).toHaveBeenCalledWith(750)
})

test('offers to skip to the teaching until it has begun', async () => {
  const play = vi.fn()
  const { rerender } = render(<SkipToTeaching chapters={chapters} position={12} onPlay={play} />)
  await userEvent.click(screen.getByRole('button', { name: 'Skip to the teaching' }))
  expect(play).toHaveBeenCalledWith(750)
  rerender(<SkipToTeaching chapters={chapters} position={750} onPlay={play} />)
  expect(screen.queryByRole('button')).toBeNull()
})

test('the form of a teaching queues its chapters, in order of time', async () => {
  await import('../teachings/outbox.device.ts')
  await testServer({ 'PUT /api/teachings/5': () => ({ status: 503, body: { error: 'Not now' } }) })
  render(
    <SignedIn>
      <EditTeachingDialog
        teaching={aTeaching({ id: 5, rev: 12, chapters: '12:30 Grace' })}
        onClose={() => undefined}
      />
    </SignedIn>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Add a chapter' }))
  await userEvent.type(screen.getByLabelText('Time of chapter 2'), '0:75')
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  await screen.findByText(/need a time/)
  await userEvent.clear(screen.getByLabelText('Time of chapter 2'))
  await userEvent.type(screen.getByLabelText('Time of chapter 2'), '0:07')
  await userEvent.type(screen.getByLabelText('Title of chapter 1'), 'Welcome all')
  await userEvent.click(screen.getAllByLabelText('Teaching starts here')[1]!)
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  await expect.poll(() => appDatabase().outbox.count()).toBe(1)
  const [entry] = await appDatabase().outbox.toArray()
  expect(entry).toMatchObject({ patch: { chapters: '0:07 Welcome all\n12:30 Grace (teaching starts here)' } })
})
