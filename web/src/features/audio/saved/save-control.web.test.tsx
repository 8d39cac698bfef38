import { aTeaching } from '@fellowship/schema/testing/builders'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { testServer } from '../../../testing/test-server.ts'
import { SaveControl } from './save-control.tsx'
import { SavedList } from './saved-list.tsx'
import { savedKnown, useSavedShelf } from './saved.ts'

const untitled = aTeaching({
  title: '',
  scriptureReference: 'Romans 8:28-39',
  date: '2026-11-22',
  audioUrl: `/audio/${'c'.repeat(64)}.mp3`,
  audioBytes: 40_000_000,
  audioMime: 'audio/mpeg',
})

test('labels the buttons of a teaching without a title', async () => {
  // A slow line: nothing of it has come yet.
  await savedKnown()
  await testServer({ [`GET ${untitled.audioUrl}`]: () => new Promise(() => undefined) })
  const Saved = () => (
    <SavedList recordings={[...useSavedShelf().byKey.values()]} rows={[]} onRemove={() => {}} />
  )
  render(
    <>
      <SaveControl teaching={untitled} onManage={() => {}} />
      <Saved />
    </>,
  )
  expect(await screen.findByRole('button', { name: /^Save offline .*: Romans 8:28-39$/ })).toBeTruthy()
  await saveRecording(untitled, 1)
  expect(await screen.findByRole('button', { name: 'Remove 22 November 2026' })).toBeTruthy()
})
