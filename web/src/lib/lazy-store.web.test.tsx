import { act } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { makeStore, useStore } from './lazy-store.ts'

test('a store filled before hydration matches the prerendered page', async () => {
  const heard = makeStore(false)
  const Mark = () => useStore(heard) && <p>Heard</p>
  const root = document.createElement('div')
  root.innerHTML = renderToString(<Mark />)
  heard.set(true)
  const mismatches: unknown[] = []
  await act(async () => {
    hydrateRoot(root, <Mark />, { onRecoverableError: (error) => mismatches.push(error) })
  })
  expect(mismatches).toEqual([])
  expect(root.textContent).toBe('Heard')
})
