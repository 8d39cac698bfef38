import { aTeaching } from '@fellowship/schema/testing/builders'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { testServer } from '../../../testing/test-server.ts'
import { SaveMore } from './save-more.tsx'
import { savedKnown } from './saved.ts'

const hope = aTeaching({
  speaker: 'Jane Smith',
  audioUrl: `/audio/${'a'.repeat(64)}.mp3`,
  audioBytes: 40_000_000,
  audioMime: 'audio/mpeg',
})

test('lists the speakers by name, and the newest year first', () => {
  const of = (speaker: string, year: number, given = {}) => ({ ...hope, speaker, year, ...given })
  const rows = [of('Ruth', 2025), of('Ann', 2026), of('Ruth', 2024), of('Paul', 2023, { audioUrl: null })]
  render(<SaveMore rows={rows} />)
  const offered = screen.getAllByRole('option').map(({ textContent }) => textContent)
  expect(offered.slice(1)).toEqual(['Ann', 'Ruth', '2026', '2025', '2024'])
})

test('does not count a queued recording as saved', async () => {
  // A slow line: nothing of it has come yet.
  await testServer({ [`GET ${hope.audioUrl}`]: () => new Promise(() => undefined) })
  await saveRecording(hope, 1)
  await savedKnown()
  render(<SaveMore rows={[hope]} />)
  await userEvent.selectOptions(screen.getByRole('combobox'), 'Jane Smith')
  expect(screen.getByText(/^Everything of it/).textContent).toBe('Everything of it is saved or on its way.')
})
