import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { TeachingRow } from './teaching-row.tsx'

test('a row warns of an unplayable recording', () => {
  vi.spyOn(HTMLMediaElement.prototype, 'canPlayType').mockImplementation((type) =>
    type === 'audio/mp4' ? '' : 'maybe',
  )
  const row = (ending: string) => (
    <TeachingRow
      teaching={aTeaching({ audioUrl: `/audio/${'a'.repeat(64)}.${ending}` })}
      playback="closed"
      onToggle={() => {}}
    />
  )
  const { rerender } = render(row('mp3'))
  expect(screen.queryByText(/cannot play/)).toBeNull()
  rerender(row('m4a'))
  expect(
    screen.getByText(
      'This browser cannot play M4A recordings. Download it, and open it with another player.',
    ),
  ).toBeTruthy()
})
