import { describe, expect, test } from 'vitest'
import { advancePosition, resumeAt, type ListeningPosition } from './listening-position.ts'

const saved: ListeningPosition = { seconds: 2050, duration: 2400, listenedAt: 100, earlier: [] }
const moment = (seconds: number, at = 200) => ({ seconds, duration: 2400, at })

describe('keeps the saved position', () => {
  test.each([
    ['a player that just opened', moment(0)],
    ['the first seconds', moment(14.9)],
    ['a moment before the saved one', moment(300, 99)],
    ['a length that is not known', { ...moment(300), duration: NaN }],
    ['an endless stream', { ...moment(300), duration: Infinity }],
    ['a broken clock of the player', moment(NaN)],
  ])('is unchanged by %s', (_, event) => expect(advancePosition(saved, event)).toBe(saved))

  test('a seek stores the position before it', () => {
    expect(advancePosition(saved, moment(60))?.earlier).toEqual([{ seconds: 2050, listenedAt: 100 }])
  })

  test('stores the last five positions', () => {
    let position: ListeningPosition | undefined = saved
    for (let at = 0; at < 8; at += 1)
      position = advancePosition(position, moment(at % 2 ? 100 : 1000, 200 + at))
    expect(position?.earlier).toHaveLength(5)
    expect(position?.earlier[0]).toEqual({ seconds: 1000, listenedAt: 206 })
  })
})

test('listening updates the position', () => {
  expect(advancePosition(saved, moment(2055))).toEqual({ ...saved, seconds: 2055, listenedAt: 200 })
  expect(advancePosition(undefined, moment(15))).toEqual({ ...saved, seconds: 15, listenedAt: 200 })
  expect(advancePosition(undefined, moment(3))).toBeUndefined()
})

test('starting over resets the position', () => {
  expect(advancePosition(saved, { ...moment(0), startedAgain: true })?.seconds).toBe(0)
})

test('resumes at the position, or at the start when finished', () => {
  expect(resumeAt(undefined)).toBe(0)
  expect(resumeAt(saved)).toBe(2050)
  expect(resumeAt({ ...saved, seconds: 2381 })).toBe(0)
})
