import { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { copies, type CopyStatus } from '@fellowship/schema/copies/copies.contract'
import { system, type HealthLine } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { fileSize } from '../../lib/file-size.ts'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { HealthList } from '../../ui/health-list.tsx'
import { noteOnFiles, SystemInfo } from './system-info.admin.tsx'

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
const noCopies: CopyStatus = {
  paused: false,
  inBackups: false,
  total: 0,
  done: 0,
  copies: 0,
  copyBytes: 0,
  originalBytes: 0,
  waitingForFfmpeg: 0,
  failed: [],
  faulty: [],
}
const refused = { status: 503, body: { error: 'Away for a moment', code: 'unavailable' } }

test('each part waits for those above it', async () => {
  let arrive: () => void = () => undefined
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const received = await testServer({
    [`GET ${copies.status.path}`]: () => refused,
    [`GET ${audio.stats.path}`]: () => ({ body: stats }),
    [`GET ${system.info.path}`]: () => arrival.then(() => ({ body: info })),
  })
  render(<SystemInfo />)
  const shown = () => screen.getAllByRole('heading').map(({ textContent }) => textContent)
  await waitFor(() => expect(queryClient.isFetching()).toBe(1))
  expect(shown()).toEqual(['System health'])
  arrive()
  await screen.findByText('Maintenance of this browser')
  expect(shown()).toEqual([
    'System health',
    'Statistics',
    'Small copies',
    'Application',
    'Maintenance of this browser',
  ])
  // A part that mounts later starts no request.
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  expect(received.map(({ path }) => path).sort()).toEqual(
    [audio.stats.path, copies.status.path, system.info.path].sort(),
  )
})

test.each([
  [audio.stats.path, audioTexts.statisticsFetchFailed],
  [system.info.path, systemTexts.fetchFailed],
])('toasts a failed refresh of %s', async (path, sentence) => {
  let away = false
  await testServer({
    [`GET ${copies.status.path}`]: () => ({ body: noCopies }),
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

test('"Go on" resumes removals by age', async () => {
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
    [`GET ${copies.status.path}`]: () => ({ body: noCopies }),
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
  await waitFor(() => expect(screen.queryByText(held.sentence)).toBeNull())
})

test('shows, pauses and retries small copies', async () => {
  const hope = { id: 1, title: 'Hope', speaker: 'Ruth', date: '2026-11-22', scriptureReference: null }
  let status: CopyStatus = {
    ...noCopies,
    total: 940,
    done: 312,
    copies: 300,
    copyBytes: 3_000_000_000,
    originalBytes: 12_000_000_000,
    failed: [{ ...hope, why: 'There is no sound in it.' }],
    faulty: [{ ...hope, id: 2, title: 'Faith', faults: ['clipped', 'right_silent'] }],
  }
  const asked: unknown[] = []
  await testServer({
    [`GET ${audio.stats.path}`]: () => ({ body: stats }),
    [`GET ${system.info.path}`]: () => ({ body: info }),
    [`GET ${copies.status.path}`]: () => ({ body: status }),
    [`PUT ${copies.change.path}`]: () => {
      asked.push('pause')
      status = { ...status, paused: !status.paused }
      return { body: status }
    },
    [`POST ${copies.retry.path}`]: () => {
      asked.push('retry')
      status = { ...status, failed: [] }
      return { body: status }
    },
  })
  render(<SystemInfo />)
  const sizes = `${fileSize(3_000_000_000)} in place of ${fileSize(12_000_000_000)}`
  await screen.findByText(`312 of 940 recordings done; 300 have a small copy: ${sizes}.`)
  screen.getByText('There is no sound in it.')
  screen.getByText(/^It is clipped: .* The right channel is silent\.$/)
  await userEvent.click(screen.getByRole('button', { name: 'Pause small copies' }))
  await screen.findByText(/They are paused\.$/)
  await screen.findByRole('button', { name: 'Continue small copies' })
  await userEvent.click(screen.getByRole('button', { name: 'Try these again' }))
  await waitFor(() => expect(screen.queryByText('There is no sound in it.')).toBeNull())
  expect(asked).toEqual(['pause', 'retry'])
})

test('counts audio files so that the parts add up', () => {
  const files = { totalFiles: 27, referencedFiles: 25, orphanedFiles: 0 }
  expect(noteOnFiles(files)).toBe('25 referenced, 0 orphaned, 2 others')
  expect(noteOnFiles({ ...files, totalFiles: 26 })).toBe('25 referenced, 0 orphaned, 1 other')
  expect(noteOnFiles({ ...files, totalFiles: 25 })).toBe('25 referenced, 0 orphaned')
})

test('lists failing checks first', () => {
  const line = (label: string, state: 'good' | 'attention' | 'bad') =>
    ({ id: label, label, state, sentence: '', advice: '' }) as HealthLine
  render(
    <HealthList lines={[line('A', 'good'), line('B', 'attention'), line('C', 'bad'), line('D', 'good')]} />,
  )
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent?.slice(0, 1))).toEqual([
    'C',
    'B',
    'A',
    'D',
  ])
})
