import { act } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AudioElementProvider } from './audio-element.tsx'
import { playerOf } from './player.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

const Title = () => <p>{usePlayerState(usePlayer(), (state) => state.recording?.title ?? 'closed')}</p>
const page = (
  <AudioElementProvider>
    <Title />
  </AudioElementProvider>
)

test('hydrates while playing without a mismatch', async () => {
  const root = document.createElement('div')
  root.setAttribute('data-first', '')
  root.innerHTML = renderToString(page)
  document.body.append(root)
  expect(root.textContent).toBe('closed')
  const player = playerOf(root.querySelector('audio')!)
  player.toggle({ uid: 'a', title: 'Hope', speaker: 'Jane Doe', audioUrl: '/audio/a.mp3', duration: '1:00' })

  const mismatches: unknown[] = []
  await act(async () => {
    hydrateRoot(root, page, { onRecoverableError: (error) => mismatches.push(error) })
  })
  expect(mismatches).toEqual([])
  expect(root.textContent).toBe('Hope')
  player.close()
})
