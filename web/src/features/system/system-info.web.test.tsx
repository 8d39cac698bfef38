import { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { SystemInfo } from './system-info.tsx'

afterEach(() => queryClient.clear())

const stats = {
  users: 2,
  elders: 3,
  teachings: 41,
  totalFiles: 41,
  referencedFiles: 41,
  orphanedFiles: 0,
  totalSize: 5_000_000,
  orphanedSize: 0,
  orphans: [],
}
const info = {
  environment: 'test',
  version: '1.0.0',
  storage: 'disk',
  nodeVersion: '24.0.0',
  uptime: 60,
  memoryUsage: { rss: 1_000_000, external: 1_000 },
  health: [],
}
const refused = { status: 503, body: { error: 'Away for a moment', code: 'unavailable' } }

test.each([
  [audio.stats.path, audioTexts.statisticsFetchFailed],
  [system.info.path, systemTexts.fetchFailed],
])('a failed refresh of %s is toasted, and the figures stay', async (path, sentence) => {
  let away = false
  await testServer({
    [`GET ${audio.stats.path}`]: () => (away && path === audio.stats.path ? refused : { body: stats }),
    [`GET ${system.info.path}`]: () => (away && path === system.info.path ? refused : { body: info }),
  })
  render(<SystemInfo />)
  await screen.findByText('Teachings')
  away = true
  await userEvent.click(screen.getByRole('button', { name: 'Refresh Statistics' }))

  await waitFor(() => expect(toastStore.snapshot()?.title).toBe(sentence))
  expect(screen.getByText('Teachings').nextElementSibling?.textContent).toBe('41')
})

test('Go on asks the server to let removals by age go on, and the line goes', async () => {
  const held = {
    id: 'sweeps',
    label: 'Removal by age',
    state: 'attention',
    sentence: '4 of 9 deleted teachings would be removed now.',
    advice: 'Press Go on.',
    action: 'go_on',
  }
  let isHeld = true
  await testServer({
    [`GET ${audio.stats.path}`]: () => ({ body: stats }),
    [`GET ${system.info.path}`]: () => ({ body: { ...info, health: isHeld ? [held] : [] } }),
    [`POST ${system.goOn.path}`]: () => {
      isHeld = false
      return { body: { success: true } }
    },
  })
  render(<SystemInfo />)
  await userEvent.click(await screen.findByRole('button', { name: 'Go on' }))
  await waitFor(() => expect(toastStore.snapshot()?.title).toBe(systemTexts.goesOn.title))
  expect(screen.queryByText(held.sentence)).toBeNull()
})
