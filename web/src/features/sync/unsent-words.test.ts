import { expect, test } from 'vitest'
import { unsentWords, type Unsent } from './unsent-words.ts'

const of = (state: Unsent['entries'][number]['state'], attempts = 0) => ({ state, attempts })

test.each<[string, Partial<Unsent>, (string | undefined)[]]>([
  ['nothing', {}, []],
  ['a change at its first attempt', { entries: [of('queued'), of('sending')] }, []],
  [
    'a failed attempt',
    { entries: [of('queued', 1)] },
    ['1 change on this device, will be sent when the server answers again'],
  ],
  [
    'changes offline',
    { entries: [of('queued', 1), of('queued', 2)], isOffline: true },
    ['2 changes on this device, will be sent when you’re back online'],
  ],
  ['decisions', { entries: [of('conflict'), of('rejected', 1)] }, ['Needs your attention (2)']],
  [
    'an ended session',
    { entries: [of('blocked_auth', 1)], uploads: 2 },
    ['Sign in to send 1 change', 'Sign in to send the 2 recordings that wait here'],
  ],
])('the banners count %s', (_, unsent, lines) => {
  const {
    attention,
    signIn = [],
    waiting,
  } = unsentWords({ entries: [], uploads: 0, isOffline: false, ...unsent })
  expect([attention, ...signIn, waiting].filter(Boolean)).toEqual(lines)
})
