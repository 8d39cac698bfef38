import { describe, expect, test } from 'vitest'
import { prerenderedPages } from './prerendered-pages.ts'

const files = ['/assets/boot-1.js', '/assets/main-1.js']
const drawn = (words: string, { visitor = true, file = files[0], marker = 'data-first=""' } = {}) =>
  `<link rel="later" href="/assets/main-1.js"><script src="${file}"></script><div id="root" ${marker}>${words}</div>` +
  `<script type="application/json" id="first-data">{"teachings":[],"visitor":${visitor}}</script>`

/** A device whose server renders pages by `draw`. */
function device({ build = 'b1', stores = memory() } = {}) {
  const asked: string[] = []
  const set = {
    savedFirst: false,
    draw: (path: string): Response | Promise<Response> => new Response(drawn(`${path} as drawn`)),
  }
  const pages = prerenderedPages({
    caches: stores,
    build,
    hasFile: (file) => files.includes(file),
    savedFirst: () => Promise.resolve(set.savedFirst),
    fetch: async (path) => {
      asked.push(path)
      return set.draw(path)
    },
  })
  const shows = async (address: string) => {
    const page = await pages.answer(new URL(address, 'https://app.test'))
    return (await page?.text())?.match(/>([^<]*)<\/div>/)?.[1]
  }
  return { asked, stores, set, pages, shows }
}

describe('caches nothing', () => {
  test.each([
    ['a line that breaks', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['an error page', () => new Response(drawn('sorry'), { status: 503 })],
    ['a page that came without its rows', () => new Response(drawn('', { marker: '' }))],
    ['a page for somebody who is signed in', () => new Response(drawn('', { visitor: false }))],
    [
      'a page whose words only speak of visitors',
      () => new Response(drawn('{&quot;visitor&quot;:true}', { visitor: false })),
    ],
    ['a page of another build', () => new Response(drawn('', { file: '/assets/boot-2.js' }))],
  ])('shows no cached page of %s', async (_, answer) => {
    const phone = device()
    await phone.pages.keep('one')
    expect(await phone.shows('/teaching')).toBe('/teaching as drawn')
    phone.set.draw = (path) => (path === '/about' ? answer() : new Response(drawn('newer')))
    await phone.pages.keep('two')
    for (const path of ['/', '/about', '/teaching', '/listening'])
      expect(await phone.shows(path)).toBeUndefined()
    // And the next time it is tried again.
    phone.set.draw = () => new Response(drawn('at last'))
    await phone.pages.keep('two')
    expect(await phone.shows('/teaching')).toBe('at last')
  })

  test('deletes cached pages without a state', async () => {
    const phone = device()
    await phone.pages.keep('one')
    await phone.pages.keep(null)
    expect(await phone.shows('/teaching')).toBeUndefined()
    expect(phone.asked).toHaveLength(4)
  })
})

test('serves only addresses without a query', async () => {
  const phone = device()
  expect(await phone.shows('/teaching')).toBeUndefined()
  await phone.pages.keep('one')
  expect(await phone.shows('/')).toBe('/ as drawn')
  expect(await phone.shows('/about')).toBe('/about as drawn')
  for (const address of ['/teaching?t=x', '/teaching?q=grace', '/admin', '/teaching/', '/drawn-pages-state'])
    expect([address, await phone.shows(address)]).toEqual([address, undefined])
})

test('serves no library that begins with saved recordings', async () => {
  const phone = device()
  await phone.pages.keep('one')
  phone.set.savedFirst = true
  expect(await phone.shows('/teaching')).toBeUndefined()
  expect(await phone.shows('/')).toBe('/ as drawn')
})

test('fetches the pages once per state', async () => {
  const phone = device()
  await Promise.all([phone.pages.keep('one'), phone.pages.keep('one'), phone.pages.keep('one')])
  await device({ stores: phone.stores }).pages.keep('one')
  expect(phone.asked).toEqual(['/', '/about', '/teaching', '/listening'])
})

test('caches the state that was reported last', async () => {
  const phone = device()
  phone.set.draw = async () => {
    await new Promise((resolve) => setTimeout(resolve))
    return new Response(drawn(`answer ${phone.asked.length}`))
  }
  await Promise.all([phone.pages.keep('one'), phone.pages.keep('two')])
  expect(await phone.shows('/teaching')).toBe('answer 8')
})

test('deletes the pages of another build', async () => {
  const before = device()
  await before.pages.keep('one')
  await before.stores.open('pictures')
  const after = device({ build: 'b2', stores: before.stores })
  expect(await after.shows('/teaching')).toBeUndefined()
  await after.pages.keep('one')
  await after.pages.dropOthers()
  expect(await before.stores.keys()).toEqual(['pictures', 'drawn-pages-b2'])
})

/** Caches as the browser has them, as far as they are used here. */
function memory(): Pick<CacheStorage, 'open' | 'delete' | 'keys'> {
  const stores = new Map<string, Map<string, Response>>()
  return {
    async open(name) {
      const store = stores.get(name) ?? new Map<string, Response>()
      stores.set(name, store)
      return {
        match: async (path: string) => store.get(path)?.clone(),
        put: async (path: string, response: Response) => void store.set(path, response),
      } as unknown as Cache
    },
    delete: async (name) => stores.delete(name),
    keys: async () => [...stores.keys()],
  }
}
