import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { UploadedBanner } from './uploaded-banner.list.tsx'

test('the banner of an upload goes after 60 seconds', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const onGone = vi.fn()
    render(<UploadedBanner teaching={aTeaching({ title: 'Hope', speaker: 'Jane Doe' })} onGone={onGone} />)
    expect(screen.getByRole('status').textContent).toContain('Hope, Jane Doe')
    vi.advanceTimersByTime(59_000)
    expect(onGone).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(onGone).toHaveBeenCalledOnce()
  } finally {
    vi.useRealTimers()
  }
})
