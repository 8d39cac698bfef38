import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { useHeldRow } from './held-row.device.ts'

const opened = { title: 'Hope', speaker: 'Jane Doe', rev: 3 }
const synced = { title: 'Faith', speaker: 'John Smith', rev: 4 }
const person = (id: number) => ({ id, name: 'Mere', email: 'mere@example.org', role: 'user' as const })

/** Opens the form of a row as a person; `show` syncs another state of the row. */
async function open(shown = opened, { as = 7, uid = 'a', onClose = () => {} } = {}) {
  const wrapper = ({ children }: { children: ReactNode }) => <SignedIn user={person(as)}>{children}</SignedIn>
  const form = renderHook((now: typeof opened) => useHeldRow('teaching', uid, now, onClose), {
    initialProps: shown,
    wrapper,
  })
  await vi.waitFor(() => expect(form.result.current).toBeTruthy())
  return {
    now: () => form.result.current,
    show: (row: typeof opened) => form.rerender(row),
    leave: () => form.unmount(),
  }
}

beforeEach(() => localStorage.clear())

test('another person or row does not get the words', async () => {
  const first = await open()
  act(() => first.now().draft.keep({ title: 'Hope in Christ' }))
  first.leave()
  expect((await open(opened, { as: 8 })).now().draft.words).toEqual({})
  expect((await open(opened, { uid: 'b' })).now().draft.words).toEqual({})
  expect((await open()).now().draft.words).toEqual({ title: 'Hope in Christ' })
})

test('the row stays as it was opened', async () => {
  const form = await open()
  form.show(synced)
  expect(form.now().row).toEqual(opened)
})

test('words come back with the fields that they replace', async () => {
  const first = await open()
  const before = Date.now()
  act(() => first.now().draft.keep({ title: 'Hope in Christ' }))
  first.leave()
  const again = await open(synced)
  expect(again.now().row).toEqual({ title: 'Hope', speaker: 'John Smith', rev: 3 })
  expect(again.now().draft.at).toBeGreaterThanOrEqual(before)
})

test('words that were all taken back are deleted', async () => {
  const first = await open()
  act(() => first.now().draft.keep({ title: 'Hope in Christ' }))
  act(() => first.now().draft.keep({}))
  expect(localStorage).toHaveLength(0)
})

test('discarded words leave the row as it is shown', async () => {
  const first = await open()
  act(() => first.now().draft.keep({ title: 'Hope in Christ' }))
  first.leave()
  const again = await open(synced)
  act(() => again.now().draft.discard())
  expect(again.now().row).toEqual(synced)
  expect(again.now().draft).toMatchObject({ at: undefined, words: {} })
  expect(localStorage).toHaveLength(0)
})

test('saved words are dropped, and the form closes', async () => {
  const onClose = vi.fn()
  const form = await open(opened, { onClose })
  act(() => form.now().draft.keep({ title: 'Hope in Christ' }))
  act(() => form.now().draft.drop())
  expect(localStorage).toHaveLength(0)
  act(() => form.now().draft.keep({ title: 'Hope in Christ' }))
  act(() => form.now().close())
  expect(onClose).toHaveBeenCalledOnce()
  expect(localStorage).toHaveLength(0)
})
