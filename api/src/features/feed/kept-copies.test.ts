import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { keptCopies } from './feed.routes.ts'

/** A document that counts how often it is made. */
function counted(text: string) {
  let made = 0
  return {
    plain: () => {
      made += 1
      return Buffer.from(text)
    },
    made: () => made,
  }
}

test('makes a document once per coding and key', async () => {
  const kept = keptCopies(2)
  const first = counted('first')
  for (let at = 0; at < 3; at += 1)
    expect(
      gunzipSync(await kept({ name: 'a', key: '1', coding: 'gzip', plain: first.plain })).toString(),
    ).toBe('first')
  expect(first.made()).toBe(1)
  const plain = () => kept({ name: 'a', key: '1', coding: undefined, plain: first.plain })
  expect([(await plain()).toString(), await plain(), first.made()]).toEqual(['first', await plain(), 2])
  const second = counted('second')
  expect(
    gunzipSync(await kept({ name: 'a', key: '2', coding: 'gzip', plain: second.plain })).toString(),
  ).toBe('second')
})

test('drops the least recently used document', async () => {
  const kept = keptCopies(2)
  const [a, b, c] = ['a', 'b', 'c'].map(counted) as [
    ReturnType<typeof counted>,
    ReturnType<typeof counted>,
    ReturnType<typeof counted>,
  ]
  await kept({ name: 'a', key: '1', coding: 'gzip', plain: a.plain })
  await kept({ name: 'b', key: '1', coding: 'gzip', plain: b.plain })
  await kept({ name: 'a', key: '1', coding: 'gzip', plain: a.plain })
  await kept({ name: 'c', key: '1', coding: 'gzip', plain: c.plain })
  await kept({ name: 'a', key: '1', coding: 'gzip', plain: a.plain })
  await kept({ name: 'b', key: '1', coding: 'gzip', plain: b.plain })
  expect([a.made(), b.made(), c.made()]).toEqual([1, 2, 1])
})

test('retries a document after a failure', async () => {
  const kept = keptCopies(2)
  const whole = { name: 'a', key: '1', coding: 'gzip', plain: counted('whole').plain } as const
  const broken = () => {
    throw new Error('no room')
  }
  await expect(kept({ ...whole, plain: broken })).rejects.toThrow('no room')
  expect(gunzipSync(await kept(whole)).toString()).toBe('whole')
})
