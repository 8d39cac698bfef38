import { expect, test } from 'vitest'
import { inProcessChanges } from '../../machine/changes.ts'
import { testApp } from '../../testing/test-app.ts'

const changes = inProcessChanges()
let listening = 0
const app = await testApp({}, () => ({
  changes: {
    ...changes,
    listen(onChange) {
      const stop = changes.listen(onChange)
      listening += 1
      return () => {
        listening -= 1
        stop()
      }
    },
  },
}))

test('HEAD of the event stream leaves no listener', async () => {
  const before = listening
  for (let times = 0; times < 3; times += 1) {
    const answer = await fetch(`${app.url}/api/sync/events`, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  }
  await expect.poll(() => listening, { timeout: 10_000 }).toBe(before)
})

test('a disconnected client is removed as listener', async () => {
  const before = listening
  const leaving = new AbortController()
  await fetch(`${app.url}/api/sync/events`, { signal: leaving.signal })
  await expect.poll(() => listening).toBe(before + 1)
  leaving.abort()
  await expect.poll(() => listening).toBe(before)
})
