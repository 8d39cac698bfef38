import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { Problem } from '@fellowship/schema/problem'
import type { Env } from './hono-types.ts'
import { readJson } from './input.ts'

const app = new Hono<Env>()
app.post('/', async (http) => http.json(await readJson(http, 50)))
app.onError((error, http) => http.json({ code: error instanceof Problem ? error.code : String(error) }))

/** Sends a body in these parts; left open, it never ends. */
async function answerTo(parts: string[], { isOpen = false } = {}) {
  let isCancelled = false
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      if (!isOpen) controller.close()
    },
    cancel: () => void (isCancelled = true),
  })
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const answer = await app.request('/', init as RequestInit)
  return { answer: (await answer.json()) as unknown, isCancelled }
}

test('a body that does not end in time is refused, and no longer read', async () => {
  expect(await answerTo(['{"a":'], { isOpen: true })).toEqual({
    answer: { code: 'too_slow' },
    isCancelled: true,
  })
})

test('a body that is too long is refused before its end', async () => {
  expect(await answerTo(['x'.repeat(70_000)], { isOpen: true })).toEqual({
    answer: { code: 'too_large' },
    isCancelled: true,
  })
})

test('a body in parts is read', async () => {
  expect(await answerTo(['{"a"', ':1}'])).toEqual({ answer: { a: 1 }, isCancelled: false })
})
