import { speech, type SpeechStatus } from '@fellowship/schema/speech/speech.contract'
import { speechTexts } from '@fellowship/schema/speech/speech.texts'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer, type ReceivedRequest } from '../../testing/test-server.ts'
import { MachineDrafts } from './machine-drafts.admin.tsx'

afterEach(() => queryClient.clear())

const hope = { id: 1, title: 'Hope', speaker: 'Ruth', date: '2026-11-22', scriptureReference: null }
const off: SpeechStatus = {
  by: 'off',
  paused: false,
  words: '',
  waiting: 0,
  done: 0,
  working: null,
  minutesEach: null,
  failed: [],
}

test('names the settings while no machine is set', async () => {
  await testServer({ [`GET ${speech.status.path}`]: () => ({ body: off }) })
  render(<MachineDrafts />)
  await screen.findByText(speechTexts.off)
  // The list serves those who correct texts, too.
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Save'])
})

test('shows progress and cost, pauses, saves words and retries', async () => {
  let status: SpeechStatus = {
    ...off,
    by: 'address',
    waiting: 12,
    done: 3,
    working: hope,
    minutesEach: 29.6,
    failed: [{ ...hope, id: 2, title: 'Faith', why: speechTexts.noSpeech }],
  }
  const asked: unknown[] = []
  await testServer({
    [`GET ${speech.status.path}`]: () => ({ body: status }),
    [`PUT ${speech.change.path}`]: ({ body }: ReceivedRequest) => {
      const change = JSON.parse(body) as Partial<SpeechStatus>
      asked.push(change)
      status = { ...status, ...change }
      return { body: status }
    },
    [`POST ${speech.retry.path}`]: () => {
      status = { ...status, failed: [] }
      return { body: status }
    },
  })
  render(<MachineDrafts />)
  await screen.findByText('3 made, 12 waiting.')
  screen.getByText('A draft takes about 30 minutes for each teaching on this machine.')
  screen.getByText(/^Listening to .*Hope/)
  await userEvent.click(screen.getByRole('button', { name: 'Pause drafts' }))
  await screen.findByText('3 made, 12 waiting. They are paused.')
  const words = screen.getByLabelText(speechTexts.words)
  await userEvent.type(words, 'Habakkuk')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(asked).toEqual([{ paused: true }, { words: 'Habakkuk' }]))
  screen.getByText(speechTexts.noSpeech)
  await userEvent.click(screen.getByRole('button', { name: 'Try these again' }))
  await waitFor(() => expect(screen.queryByText(speechTexts.noSpeech)).toBeNull())
})
