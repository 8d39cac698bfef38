import { aTeaching } from '@fellowship/schema/testing/builders'
import {
  appDatabase,
  type SeriesEntry,
  type TeachingEntry,
} from '@fellowship/sync/client/database/app-database'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { AttentionDialog } from './attention-dialog.tsx'

const base = aTeaching({ id: 5, rev: 12, title: 'Hope_in_Christ', speaker: 'Jane Doe' })
const current = { ...base, rev: 14, speaker: 'Theirs' }
const outbox = () => appDatabase().outbox

beforeEach(() => outbox().clear())

/** Renders the dialog with one outbox entry. */
async function show(change: Partial<TeachingEntry>): Promise<void> {
  const entry = {
    mutationId: '0190a000-0000-7000-8000-000000000001',
    teachingId: base.id,
    uid: base.uid,
    title: base.title,
    op: 'edit' as const,
    base: textOf(base),
    patch: { speaker: 'Mine' },
    baseRev: base.rev,
    ownerUserId: 7,
    state: 'rejected' as const,
    attempts: 1,
    nextAttemptAt: 0,
    createdAt: 0,
    ...change,
  }
  const seq = await outbox().add(entry)
  render(<AttentionDialog entries={[{ ...entry, seq }]} onClose={() => undefined} />)
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const expectOutbox = (entries: object[]) =>
  waitFor(async () => expect(await outbox().toArray()).toMatchObject(entries))

describe('rejected entries', () => {
  test('shows the reason; "Try again" queues the entry again', async () => {
    await show({ lastError: { code: 'invalid_input', sentence: 'The title is too long.' } })
    expect(screen.getByText('Hope in Christ')).toBeTruthy()
    expect(screen.getByText('The server did not take it: The title is too long.')).toBeTruthy()
    await press('Try again')
    await expectOutbox([{ state: 'queued', attempts: 0, patch: { speaker: 'Mine' } }])
  })

  test('can only be discarded when the teaching was deleted', async () => {
    await show({ lastError: { code: 'not_found', sentence: 'Not found' } })
    expect(screen.getByText(/^This teaching is not in the library any more/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    await press('Discard my change')
    await expectOutbox([])
  })
})

test('shows the scripture of a teaching without a title', async () => {
  const untitled = { ...textOf(base), title: '', scriptureReference: 'Romans 8:28-39' }
  await show({ op: 'delete', state: 'conflict', title: '', base: untitled, patch: {} })
  expect(screen.getByRole('region', { name: 'Romans 8:28-39' })).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Romans 8:28-39' })).toBeTruthy()
})

describe('entries in conflict', () => {
  test('cannot be saved before every field is decided', async () => {
    await show({ state: 'conflict', current })
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
    expect(save.disabled).toBe(true)
    await userEvent.click(screen.getByRole('radio', { name: 'Theirs: Theirs' }))
    await press('Save')
    await expectOutbox([])
  })

  test('choosing mine queues a new entry on their revision', async () => {
    await show({ state: 'conflict', current })
    await userEvent.click(screen.getByRole('radio', { name: 'Mine: Mine' }))
    await press('Save')
    await expectOutbox([{ state: 'queued', baseRev: 14, patch: { speaker: 'Mine' } }])
    expect((await outbox().toArray())[0]!.mutationId).not.toBe('0190a000-0000-7000-8000-000000000001')
  })

  test.each([
    ['Delete anyway', [{ op: 'delete', state: 'queued', baseRev: 14 }]],
    ['Keep the teaching', []],
  ])('a delete in conflict is decided by: %s', async (name, entries) => {
    await show({ op: 'delete', patch: {}, state: 'conflict', current })
    expect(screen.getByText(/Should it still be deleted\?/)).toBeTruthy()
    await press(name)
    await expectOutbox(entries)
  })
})

describe('a series in conflict', () => {
  const hope = aTeaching({ uid: '0190a000-0000-7000-8000-00000000000a', title: 'Hope' })
  const faith = aTeaching({ uid: '0190a000-0000-7000-8000-00000000000b', title: 'Faith', audioUrl: null })
  const row = {
    uid: '0190a000-0000-7000-8000-00000000000c',
    rev: 14,
    slug: 'advent',
    description: '',
    imageUrl: null,
  }
  const entry: Omit<SeriesEntry, 'seq'> = {
    kind: 'series',
    mutationId: '0190a000-0000-7000-8000-000000000002',
    uid: row.uid,
    title: 'Advent',
    op: 'edit',
    base: { title: 'Advent', description: '', teachings: [] },
    patch: { teachings: [hope.uid, faith.uid] },
    baseRev: 12,
    ownerUserId: 7,
    state: 'conflict',
    current: { ...row, title: 'Advent', teachings: [faith.uid] },
    attempts: 1,
    nextAttemptAt: 0,
    createdAt: 0,
  }

  test('sends the chosen order on their revision', async () => {
    await appDatabase().teachings.bulkPut([hope, faith])
    const seq = await outbox().add(entry)
    render(<AttentionDialog entries={[{ ...entry, seq }]} onClose={() => undefined} />)
    expect(screen.getByText(/^Someone else changed this series/)).toBeTruthy()
    expect(await screen.findByRole('radio', { name: 'Theirs: 1 teaching: Faith' })).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: 'Mine: 2 teachings: Hope, Faith' }))
    await press('Save')
    await expectOutbox([{ state: 'queued', baseRev: 14, patch: { teachings: [hope.uid, faith.uid] } }])
  })

  test('is shown although one of its teachings has left the library', async () => {
    await appDatabase().teachings.clear()
    await appDatabase().teachings.put(hope)
    render(<AttentionDialog entries={[{ ...entry, seq: 1 }]} onClose={() => undefined} />)
    expect((await screen.findAllByText(/Hope/)).length).toBeGreaterThan(0)
  })

  test('"Keep the series" discards its deletion', async () => {
    const deletion = { ...entry, op: 'delete' as const, patch: {} }
    const seq = await outbox().add(deletion)
    render(<AttentionDialog entries={[{ ...deletion, seq }]} onClose={() => undefined} />)
    expect(screen.getByText(/^Someone else changed this series since you saw it/)).toBeTruthy()
    await press('Keep the series')
    await expectOutbox([])
  })
})
