import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { isPageHeld } from '../../lib/busy.ts'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { UploadJob } from './upload-job.tsx'

test.each([
  ['shared from another app', anUploadJob({ unconfirmed: true }), undefined],
  ['that waits', anUploadJob(), 'Correct the details'],
])('the details of a recording %s hold the page from the first change on', async (_, job, open) => {
  const { unmount } = render(<UploadJob job={job} isOnline userId={7} />)
  if (open !== undefined) await userEvent.click(screen.getByRole('button', { name: open }))
  expect(isPageHeld()).toBe(false)
  await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
  expect(isPageHeld()).toBe(true)
  unmount()
  expect(isPageHeld()).toBe(false)
})
