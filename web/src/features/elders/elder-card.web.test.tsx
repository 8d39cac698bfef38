import { anElder } from '@fellowship/schema/testing/builders'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { renderSite } from '../../testing/render-site.tsx'
import { testServer } from '../../testing/test-server.ts'

const hash = 'ab12'.repeat(16)
const uid = (n: number) => `c3a6f0d2-8a15-4f0b-a9f4-00000000000${n}`
const anna = anElder({ id: 1, uid: uid(1), name: 'Anna Example', imageUrl: `/images/${hash}-640.webp` })
const ben = anElder({ id: 2, uid: uid(2), name: 'Ben Other', displayOrder: 1, extendedBio: 'One.\n\nTwo.' })

/** A server with these elders; it answers when the returned function is called. */
const serve = async (rows: Elder[]): Promise<() => void> => {
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  const answer = () => held.then(() => ({ body: snapshot(rows) }))
  await testServer({ 'GET /api/sync?schema=2': answer, 'GET /api/sync': answer })
  return release
}

const snapshot = (rows: Elder[]) => ({
  mode: 'snapshot',
  tables: {
    elder: Object.fromEntries(
      Object.keys(anna).map((member) => [member, rows.map((row) => row[member as keyof Elder])]),
    ),
  },
  next: 'cursor',
  more: false,
  head: { rev: 1 },
  serverTime: new Date().toISOString(),
  minClientSchema: 1,
})

/** happy-dom loads no images and reports each as complete without a width, like a broken one. */
const imagesAreLoading = () => vi.spyOn(HTMLImageElement.prototype, 'complete', 'get').mockReturnValue(false)

describe('elders on Home', () => {
  test('shows placeholders, cards, and drawings for missing photos', async () => {
    imagesAreLoading()
    const answerNow = await serve([ben, anna])
    renderSite('/')
    const card = (name: RegExp) => screen.findByRole('link', { name })
    expect(await screen.findByText('Loading the elders')).toBeTruthy()
    expect(document.querySelectorAll('[data-placeholder]')).toHaveLength(3)
    answerNow()
    const [first, second] = [await card(/Anna Example/), await card(/Ben Other/)]
    expect(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    expect(document.querySelectorAll('[data-placeholder]')).toHaveLength(0)
    expect(first.closest('article')?.id).toBe('anna example')
    expect(first.textContent).toContain('Read more →')
    expect(second.querySelector('img')).toBeNull()
    expect(second.querySelector('svg')).not.toBeNull()

    const photo = first.querySelector('img')!
    expect(photo.getAttribute('srcset')).toContain(`/images/${hash}-320.webp 320w`)
    fireEvent.error(photo)
    expect(first.querySelector('img')).toBeNull()
    expect(first.querySelector('svg')).not.toBeNull()
  })

  test('shows a drawing if the photo failed before hydration', async () => {
    const answerNow = await serve([ben, anna])
    renderSite('/')
    answerNow()
    const card = await screen.findByRole('link', { name: /Anna Example/ })
    await vi.waitFor(() => expect(card.querySelector('img')).toBeNull())
    expect(card.querySelector('svg')).not.toBeNull()
  })
})
