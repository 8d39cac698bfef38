import { packSound } from '@fellowship/sound/measure/sound-file'
import { render, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { testServer } from '../../../testing/test-server.ts'
import { noPlayer } from './player-loading.ts'
import type { Player } from './player-state.ts'
import { PositionSlider } from './position-slider.tsx'
import { usePicture } from './use-picture.ts'

const soundUrl = `/audio/${'ab'.repeat(32)}.sound.json`
const sound = packSound({
  seconds: 100,
  peaks: Array.from({ length: 800 }, (_, at) => (at < 400 ? 0.5 : 1)),
  silences: [[10, 20]],
})
const state = { ...noPlayer, position: 25, duration: 100 }

function Shown({ url, player }: { url: string | undefined; player: Player }) {
  return <PositionSlider player={player} below behind={usePicture(url)} />
}

function show(url: string | undefined) {
  const seek = vi.fn()
  const player = { state: () => state, subscribe: () => () => undefined, seek } as unknown as Player
  const { rerender } = render(<Shown url={url} player={player} />)
  const turnTo = (next: string | undefined) => rerender(<Shown url={next} player={player} />)
  return { seek, turnTo, slider: screen.getByRole<HTMLInputElement>('slider', { name: 'Position' }) }
}
const pictures = () => [...document.querySelectorAll('svg')]

test.each([
  ['was not measured', undefined, {}],
  [
    'has no waveform on the server',
    soundUrl,
    { status: 404, body: { error: 'Not found', code: 'not_found' } },
  ],
  ['has one that cannot be read', soundUrl, { body: { seconds: 'no' } }],
])('a recording that %s has a slider all the same', async (_, url, answer) => {
  const asked = await testServer({ [`GET ${soundUrl}`]: () => ({ body: {}, ...answer }) })
  const { slider } = show(url)
  await waitFor(() => expect(asked).toHaveLength(url ? 1 : 0))
  expect([slider.value, slider.getAttribute('aria-valuetext')]).toEqual([
    '25',
    '25 seconds of 1 minute 40 seconds',
  ])
  expect(pictures()).toHaveLength(0)
})

test('draws waveform, silence and progress behind the slider', async () => {
  await testServer({ [`GET ${soundUrl}`]: () => ({ body: sound }) })
  const { slider, seek } = show(soundUrl)
  await waitFor(() => expect(pictures()).toHaveLength(2))
  expect(screen.getByRole('slider', { name: 'Position' })).toBe(slider)
  expect(pictures().every((picture) => picture.getAttribute('aria-hidden') === 'true')).toBe(true)
  const silence = document.querySelector('[data-silence]')!
  expect(['x', 'width'].map((name) => Number(silence.getAttribute(name)))).toEqual([10, 10])
  expect(pictures()[1]!.style.clipPath).toBe('inset(0 75% 0 0)')
  slider.value = '60'
  slider.dispatchEvent(new Event('change'))
  expect(seek).toHaveBeenCalledWith(60)
})

test('the waveform goes with its recording', async () => {
  await testServer({ [`GET ${soundUrl}`]: () => ({ body: sound }) })
  const { turnTo } = show(soundUrl)
  await waitFor(() => expect(pictures()).toHaveLength(2))
  turnTo(undefined)
  expect(pictures()).toHaveLength(0)
})
