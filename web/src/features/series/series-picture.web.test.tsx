import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { SeriesPictureDialog } from './series-picture-dialog.tsx'

const uid = '6f1c1f0e-2b7a-4c58-a1de-000000000001'
const series = { uid, rev: 1, slug: 'hope', title: 'Hope', description: '', teachings: [], imageUrl: null }
const path = `/api/series/${uid}/picture`

function becomes(online: boolean) {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(online)
  act(() => void window.dispatchEvent(new Event(online ? 'online' : 'offline')))
}
const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
const choose = (file: File) =>
  fireEvent.change(screen.getByLabelText('Picture', { selector: 'input' }), { target: { files: [file] } })

test('a picture is checked, and waits for a connection', async () => {
  const received = await testServer({ [`POST ${path}`]: () => ({ body: { ...series, rev: 2 } }) })
  const onClose = vi.fn()
  render(<SeriesPictureDialog series={series} onClose={onClose} />)
  becomes(false)
  await screen.findByText(seriesTexts.pictureOffline)
  choose(new File(['GIF89a'], 'a.gif', { type: 'image/gif' }))
  expect(toastStore.snapshot()?.title).toBe('Invalid File Type')
  choose(new File(['a'], 'a.png', { type: 'image/png' }))
  await screen.findByRole('img', { name: 'As it will be shown' })
  expect(save().disabled).toBe(true)
  becomes(true)
  await waitFor(() => expect(save().disabled).toBe(false))
  await userEvent.click(save())
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(toastStore.snapshot()?.title).toBe(seriesTexts.pictureSaved)
  expect(received.some(({ method }) => method !== 'GET')).toBe(true)
})
