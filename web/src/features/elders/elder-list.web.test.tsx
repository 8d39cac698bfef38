import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ElderGrid } from './elder-list.view.tsx'
import { refreshElders, watchElders } from './elders.device.ts'

vi.mock('./elders.device.ts')

test('a failed load shows its reason and a retry', async () => {
  const watch = vi.mocked(watchElders)
  const answer = (elders: Parameters<Parameters<typeof watchElders>[0]>[0]) =>
    watch.mockImplementationOnce((onChange) => (onChange(elders), () => undefined))
  answer({ status: 'failed', sentence: elderTexts.fetchFailed })
  render(<ElderGrid />)
  await screen.findByText(elderTexts.fetchFailed)
  expect(document.querySelectorAll('[data-placeholder]')).toHaveLength(0)
  answer({ status: 'ready', rows: [] })
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(elderTexts.none)).toBeTruthy()
})

test('a focused window asks for the elders again', async () => {
  vi.mocked(watchElders).mockImplementationOnce(() => () => undefined)
  render(<ElderGrid />)
  fireEvent.focus(window)
  await vi.waitFor(() => expect(refreshElders).toHaveBeenCalledOnce())
})
