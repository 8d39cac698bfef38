import type { ImportSummary } from '@fellowship/schema/imports/imports.contract'
import { render, screen } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MoveIn } from './move-in.admin.tsx'

const counts = { total: 9, new: 9, same: 0, changed: 0, unreadable: 0, too_large: 0, no_audio: 0, failed: 0 }
const summary = (imported: number, state: ImportSummary['state']): ImportSummary => ({
  id: '01900000-0000-7000-8000-000000000001',
  state,
  source: 'https://old.example/feed',
  kind: 'address',
  counts: { ...counts, imported },
  failure: null,
  beganAt: '2026-11-29T00:00:00.000Z',
  undoUntil: null,
  followAt: null,
})

test('a hint of the event stream renews the progress', async () => {
  let current = summary(2, 'importing')
  vi.stubGlobal('fetch', async (address: string) =>
    Response.json(
      address.endsWith('/api/imports') ? [current] : { ...current, options: {}, facts: {}, items: [] },
    ),
  )
  const streams: EventTarget[] = []
  class Stream extends EventTarget {
    constructor() {
      super()
      streams.push(this)
    }
    close() {
      streams.splice(streams.indexOf(this), 1)
    }
  }
  vi.stubGlobal('EventSource', Stream)
  onTestFinished(() => void vi.unstubAllGlobals())
  render(<MoveIn />)
  await screen.findByText('2 of 9 moved in.')
  expect(streams).toHaveLength(1)
  current = summary(9, 'done')
  streams[0]!.dispatchEvent(new Event('changed'))
  await screen.findByText('9 of 9 moved in.')
  await vi.waitFor(() => expect(streams).toHaveLength(0))
})
