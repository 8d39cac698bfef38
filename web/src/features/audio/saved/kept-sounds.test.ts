import { aTeaching } from '@fellowship/schema/testing/builders'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { keepSounds, readSound } from './kept-sounds.ts'

/** The part of the Cache API that sounds use; Node has none. */
const cached = new Map<string, Response>()
const cache = {
  match: async (address: string) => cached.get(address)?.clone(),
  put: async (address: string, response: Response) => void cached.set(address, response),
}

function serve(answer: () => Response, caches: object = { open: async () => cache }) {
  const fetched = vi.fn(async (_address: string) => answer())
  vi.stubGlobal('window', 'open' in caches ? { caches } : {})
  vi.stubGlobal('caches', caches)
  vi.stubGlobal('fetch', fetched)
  onTestFinished(() => void vi.unstubAllGlobals())
  return fetched
}
beforeEach(() => cached.clear())

test('reads a sound from the server once, then from the cache', async () => {
  const fetched = serve(() => Response.json({ silences: [] }))
  expect(await readSound('/a')).toEqual({ silences: [] })
  expect(await readSound('/a')).toEqual({ silences: [] })
  expect(fetched).toHaveBeenCalledOnce()
})

test.each([
  ['an error', () => new Response('{}', { status: 404 })],
  ['the page of a portal', () => new Response('<html>')],
])('caches nothing after %s', async (_, answer) => {
  serve(answer)
  await expect(readSound('/a')).rejects.toBeDefined()
  expect(cached.size).toBe(0)
})

test('fetches a sound again if the cached one is damaged', async () => {
  cached.set('/a', new Response('<html>'))
  serve(() => Response.json({ silences: [1] }))
  expect(await readSound('/a')).toEqual({ silences: [1] })
  expect(await cached.get('/a')!.clone().json()).toEqual({ silences: [1] })
})

test.each([
  ['no Cache API', {}],
  ['blocked storage', { open: () => Promise.reject(new DOMException('', 'SecurityError')) }],
])('reads from the server with %s', async (_, caches) => {
  serve(() => Response.json({ silences: [] }), caches)
  expect(await readSound('/a')).toEqual({ silences: [] })
})

test('caches the sounds of measured recordings, despite a failure', async () => {
  let answered = 0
  const fetched = serve(() => (answered++ === 0 ? new Response('', { status: 500 }) : Response.json({})))
  const audioUrl = (letter: string) => `/audio/${letter.repeat(64)}.mp3`
  await keepSounds([
    aTeaching({ audioUrl: audioUrl('a'), loudness: -20 }),
    aTeaching({ audioUrl: audioUrl('b'), loudness: null }),
    aTeaching({ audioUrl: null, loudness: -20 }),
    aTeaching({ audioUrl: audioUrl('c'), loudness: 0 }),
  ])
  expect(fetched.mock.calls.map(([address]) => address.at(7))).toEqual(['a', 'c'])
  expect([...cached.keys()].map((address) => address.at(7))).toEqual(['c'])
})
