import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { prerenderDataId } from '@fellowship/schema/pages/prerender-data'
import { anElder, aTeaching } from '@fellowship/schema/testing/builders'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderSite } from '../../testing/render-site.tsx'
import { testServer } from '../../testing/test-server.ts'

const anna = anElder({ name: 'Anna Example' })

test('a lost connection leaves the prerendered elders on screen', async () => {
  const block = document.createElement('script')
  block.type = 'application/json'
  block.id = prerenderDataId
  block.textContent = JSON.stringify({ elders: [anna], teachings: [aTeaching({ title: 'Hope' })] })
  document.head.append(block)
  const away = () => ({ status: 503, body: { error: 'Away', code: 'unavailable' } })
  const received = await testServer({ 'GET /api/sync?schema=2': away, 'GET /api/sync': away })
  renderSite('/')
  expect(await screen.findByRole('link', { name: /Anna Example/ })).toBeTruthy()
  await waitFor(() => expect(received.some(({ path }) => path.startsWith('/api/sync'))).toBe(true))
  await expect(screen.findByText(elderTexts.fetchFailed, undefined, { timeout: 1_500 })).rejects.toThrow()
  expect(screen.getByRole('link', { name: /Anna Example/ })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Hope' })).toBeTruthy()
})
