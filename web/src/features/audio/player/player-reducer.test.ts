import { describe, expect, test } from 'vitest'
import type { ElementSnapshot, Moment, PlayerEffect, PlayerEvent, PlayerFlow } from './player-events.ts'
import { noPlayer } from './player-loading.ts'
import { advance } from './player-reducer.ts'
import { noteEveryMs, type Playable } from './player-state.ts'

const hope: Playable = {
  uid: 'a',
  title: 'Hope',
  speaker: 'John Smith',
  audioUrl: '/audio/a.mp3',
  duration: '42:10',
}
const grace: Playable = { ...hope, uid: 'b', title: 'Grace', audioUrl: '/audio/b.mp3' }

const element: ElementSnapshot = {
  currentTime: 0,
  duration: 2530,
  hasMetadata: true,
  isRunning: true,
  paused: false,
  hasError: false,
}
const moment: Moment = { now: 1_000_000, sources: ['network'], element }
const at = (currentTime: number, now = moment.now): Moment => ({
  ...moment,
  now,
  element: { ...element, currentTime },
})
const broken: Moment = { ...moment, element: { ...element, hasError: true, paused: true } }

type Step = PlayerEvent | readonly [PlayerEvent, Moment]

/** Sends events one after the other; the last state and the effects of the last event. */
function after(...steps: Step[]): { flow: PlayerFlow; effects: PlayerEffect[] } {
  let flow = noPlayer
  let effects: PlayerEffect[] = []
  for (const step of steps) {
    const [event, seen] = 'type' in step ? [step, moment] : step
    // Answers belong to the present load, unless a test sets another one.
    const [next, ...wanted] = advance(
      flow,
      'loadId' in event && event.loadId === 0 ? { ...event, loadId: flow.load.id } : event,
      seen,
    )
    flow = next
    effects = wanted
  }
  return { flow, effects }
}
const types = (effects: PlayerEffect[]) => effects.map(({ type }) => type)

const open: PlayerEvent = { type: 'open', recording: hope, speed: 1 }
const positionRead: PlayerEvent = { type: 'positionRead', loadId: 0, saved: undefined }
const playing: PlayerEvent = { type: 'element', name: 'playing' }
const error: PlayerEvent = { type: 'element', name: 'error' }
const unreachable: PlayerEvent = { type: 'failureClassified', loadId: 0, failure: 'unreachable' }
const opened = [open, positionRead, playing] as const

describe('loading', () => {
  const waiting: PlayerEvent = { type: 'element', name: 'waiting' }
  const timeupdate: PlayerEvent = { type: 'element', name: 'timeupdate' }
  const paused = (currentTime: number): Moment => ({
    ...moment,
    element: { ...element, isRunning: false, currentTime },
  })
  const stalled = [...opened, [timeupdate, at(12)], [waiting, at(12)]] as const

  test.each([
    ['the position stays', at(12), at(12)],
    ['a seek ends beside its second', at(900), at(900.02)],
    ['the position moves twice by a seek', at(900), at(300)],
    ['it is paused', paused(12.2), paused(12.4)],
  ])('loading goes on while %s', (_, first, second) => {
    const { flow } = after(...stalled, [timeupdate, first], [timeupdate, second])
    expect(flow.status).toBe('loading')
  })

  test('loading ends when the position advances twice', () => {
    const { flow } = after(...stalled, [timeupdate, at(12.2)], [timeupdate, at(12.4)])
    expect(flow.status).toBe('playing')
  })

  test('seeks to the saved position when metadata arrives', () => {
    const saved = { seconds: 900, duration: 2530, listenedAt: 1, earlier: [] }
    const read: PlayerEvent = { type: 'positionRead', loadId: 0, saved }
    const metadata: PlayerEvent = { type: 'element', name: 'loadedmetadata' }
    expect(types(after(open, read).effects)).not.toContain('seek')
    expect(after(open, read, [metadata, at(0)]).effects).toEqual([{ type: 'seek', seconds: 900 }])
  })

  test('ignores a reported length of 0', () => {
    const saved = { seconds: 900, duration: 2530, listenedAt: 1, earlier: [] }
    const read: PlayerEvent = { type: 'positionRead', loadId: 0, saved }
    const metadata: PlayerEvent = { type: 'element', name: 'loadedmetadata' }
    const unread: Moment = { ...moment, element: { ...element, currentTime: 0, duration: 0 } }
    const { flow, effects } = after(open, read, [metadata, unread])
    expect(flow.duration).not.toBe(0)
    expect(effects).toEqual([{ type: 'seek', seconds: 900 }])
  })
})

describe('a recording with a saved position that the browser plays from 0', () => {
  const saved = { seconds: 900, duration: 2530, listenedAt: 1, earlier: [] }
  const read: PlayerEvent = { type: 'positionRead', loadId: 0, saved }
  const timeupdate: PlayerEvent = { type: 'element', name: 'timeupdate' }
  /** It has played for less than a second, and its length is unknown beyond that. */
  const unknown: Moment = { ...moment, element: { ...element, currentTime: 0.3, duration: 0.4 } }
  const begun = (first = open) => [first, read, playing, [timeupdate, unknown]] as const
  const savedAfter = (...steps: Step[]) => types(after(...steps).effects).includes('savePosition')

  test.each<PlayerEvent>([{ type: 'element', name: 'pause' }, { type: 'pageHidden' }, { type: 'close' }])(
    'keeps the saved position on %o',
    (event) => {
      const { flow, effects } = after(...begun(), event)
      expect(types(effects).filter((type) => type === 'savePosition' || type === 'keepAsLeft')).toEqual([])
      expect(flow.leftAt.size).toBe(0)
      expect(savedAfter(...begun(), [timeupdate, at(20, moment.now + noteEveryMs)])).toBe(false)
    },
  )

  describe('when its length is known', () => {
    test('seeks to no second beyond the end', () => {
      const short: Moment = { ...moment, element: { ...element, currentTime: 0.4, duration: 600 } }
      expect(after(...begun(), [timeupdate, short]).effects).toEqual([])
      const shorter: PlayerEvent = { type: 'open', recording: { ...hope, duration: '10:00' }, speed: 1 }
      expect(types(after(...begun(shorter), [timeupdate, at(0.4)]).effects)).not.toContain('seek')
    })

    test('does not seek again after a user seek or arrival', () => {
      expect(after(...begun(), { type: 'seek', seconds: 60 }, [timeupdate, at(60)]).effects).toEqual([])
      const arrived = [...begun(), [timeupdate, at(900.2)]] as const
      expect(types(after(...arrived, [timeupdate, at(900.4)]).effects)).not.toContain('seek')
    })

    test('seeks to the saved position once, then saves progress', () => {
      const gone = [...begun(), [timeupdate, at(0.5)]] as const
      expect(after(...gone).effects).toEqual([{ type: 'seek', seconds: 900 }])
      expect(after(...gone, [timeupdate, at(0.6)]).effects).toEqual([])
      const there = [...gone, [timeupdate, at(900.2)]] as const
      expect(savedAfter(...there, [timeupdate, at(920, moment.now + noteEveryMs)])).toBe(true)
    })
  })

  test('saves the position to which the user seeks', () => {
    expect(savedAfter(...begun(), { type: 'seek', seconds: 60 })).toBe(true)
    expect(savedAfter(...begun(), { type: 'skip', seconds: 30 })).toBe(true)
    const startedAgain = [...begun(), { type: 'startAgain' }] as const
    expect(savedAfter(...startedAgain, [timeupdate, at(20, moment.now + noteEveryMs)])).toBe(true)
  })

  test('saves positions in shortened and in replayed recordings', () => {
    const shorter: PlayerEvent = { type: 'open', recording: { ...hope, duration: '10:00' }, speed: 1 }
    expect(savedAfter(...begun(shorter))).toBe(true)
    const ended: Step = [{ type: 'element', name: 'ended' }, at(2530)]
    const again = [open, read, playing, [timeupdate, at(900)], ended, { type: 'play' }, playing] as const
    expect(savedAfter(...again, [timeupdate, at(20, moment.now + noteEveryMs)])).toBe(true)
  })
})

describe('play where it plays already', () => {
  test('play changes nothing while it plays', () => {
    const { flow } = after(...opened)
    expect(flow.status).toBe('playing')
    expect(after(...opened, { type: 'play' })).toEqual({ flow, effects: [] })
  })

  test('play resumes if the browser paused without an event', () => {
    const paused: Moment = { ...moment, element: { ...element, paused: true } }
    expect(types(after(...opened, [{ type: 'play' }, paused]).effects)).toEqual(['play'])
  })
})

describe('events that do not apply', () => {
  test.each<PlayerEvent>([
    playing,
    error,
    { type: 'element', name: 'pause' },
    { type: 'element', name: 'ended' },
    { type: 'play' },
    { type: 'close' },
    { type: 'pageHidden' },
    { type: 'savedChanged' },
  ])('a closed player ignores %o', (event) => {
    expect(after([event, broken])).toEqual({ flow: noPlayer, effects: [] })
  })

  test('ignores the answer to an effect of an earlier load', () => {
    const { flow } = after(...opened)
    const stale: PlayerEvent = { type: 'failureClassified', loadId: flow.load.id - 1, failure: 'refused' }
    expect(after(...opened, stale)).toEqual({ flow, effects: [] })
  })

  test('ignores a saved position read after a pause', () => {
    const { flow, effects } = after(open, { type: 'element', name: 'pause' }, positionRead)
    expect([flow.status, effects]).toEqual(['paused', []])
  })

  test('ignores a refused play once the player has failed', () => {
    const { flow } = after(...opened, [error, broken], unreachable, { type: 'playRefused', loadId: 0 })
    expect(flow.status).toBe('failed')
  })

  test('ignores positions reported after an error', () => {
    const late: Moment = { ...broken, element: { ...broken.element, currentTime: 0 } }
    const { flow } = after(
      ...opened,
      [{ type: 'element', name: 'timeupdate' }, at(600)],
      [{ type: 'element', name: 'timeupdate' }, late],
    )
    expect(flow.position).toBe(600)
  })
})

describe('failures', () => {
  test('waits for the server if the failure is unreachable', () => {
    const asked = after(...opened, [error, broken])
    expect(asked.flow.status).toBe('loading')
    expect(types(asked.effects)).toEqual(['classifyFailure'])
    const { flow, effects } = after(...opened, [error, broken], unreachable)
    expect(flow).toMatchObject({ status: 'failed', failure: 'unreachable' })
    expect(types(effects)).toEqual(['waitForServer'])
  })

  test('does not wait for the server if it refused', () => {
    const refused: PlayerEvent = { type: 'failureClassified', loadId: 0, failure: 'refused' }
    expect(after(...opened, [error, broken], refused).effects).toEqual([])
  })

  test('plays again when the server answers', () => {
    const { flow, effects } = after(...opened, [error, broken], unreachable, {
      type: 'serverAnswered',
      loadId: 0,
    })
    expect(flow.status).toBe('loading')
    expect(types(effects)).toEqual(['stopWaiting', 'attach', 'play'])
  })

  test.each<PlayerEvent>([{ type: 'pause' }, { type: 'sleepTimerFired' }])(
    'loads without sound when the server answers after %o',
    (event) => {
      const { flow, effects } = after(...opened, [error, broken], event, unreachable, {
        type: 'serverAnswered',
        loadId: 0,
      })
      expect(flow.status).toBe('paused')
      expect(types(effects)).toEqual(['stopWaiting', 'attach'])
    },
  )

  test('retries from the saved copy when there is one', () => {
    const saved: Moment = { ...broken, sources: ['worker', 'blob', 'network'] }
    const { flow, effects } = after(...opened, [error, broken], unreachable, [
      { type: 'savedChanged' },
      saved,
    ])
    expect(flow).toMatchObject({ status: 'loading', saved: true })
    expect(effects).toContainEqual(expect.objectContaining({ address: '/offline-audio/a.mp3' }))
  })

  describe('while the worker fetches what is not here', () => {
    const sources = ['ahead', 'network'] as const
    const here: Moment = { ...moment, sources }
    const lost: Moment = { ...broken, sources }
    const begun = [open, [positionRead, here]] as const
    const sounding = [
      ...begun,
      [playing, here],
      [
        { type: 'element', name: 'timeupdate' },
        { ...at(600), sources },
      ],
    ] as const

    test('one that fails at once plays from the network', () => {
      const { flow, effects } = after(...begun, [error, lost])
      expect(flow.load).toMatchObject({ source: 'network', failedSources: ['ahead'] })
      expect(effects).toContainEqual(expect.objectContaining({ address: '/audio/a.mp3' }))
    })

    test('a dead spot keeps place and intention', () => {
      const { flow, effects } = after(...sounding, [error, lost])
      expect(flow).toMatchObject({ status: 'loading', position: 600, load: { startAt: 600 } })
      expect(types(effects)).toEqual(['stopWaiting', 'attach', 'play'])
      expect(effects).toContainEqual(expect.objectContaining({ address: '/offline-audio/a.mp3?wait' }))
      // Browsers end a response after some minutes.
      const later = { ...lost, now: moment.now + 300_000 }
      const again = after(...sounding, [error, lost], [error, later])
      expect(again.effects).toContainEqual(expect.objectContaining({ address: '/offline-audio/a.mp3?wait' }))
      expect(again.flow).toMatchObject({ status: 'loading', position: 600 })
    })

    test('paused in a dead spot, it stays paused', () => {
      const { flow, effects } = after(...sounding, [{ type: 'pause' }, here], [error, lost])
      expect(flow).toMatchObject({ status: 'paused', position: 600 })
      expect(types(effects)).toEqual(['stopWaiting', 'attach'])
    })

    test('counts as on the device once the rest is here', () => {
      const whole: Moment = { ...here, sources: ['worker', 'blob', 'network'] }
      const { flow, effects } = after(...sounding, [{ type: 'savedChanged' }, whole])
      expect(flow).toMatchObject({ saved: true, status: 'playing', load: { source: 'worker' } })
      expect(effects).toEqual([])
    })
  })

  test('tries worker, blob, network, and marks missing bytes', () => {
    const saved: Moment = { ...broken, sources: ['worker', 'blob', 'network'] }
    const marked: PlayerEvent = { type: 'missingMarked', loadId: 0 }
    const first = after(open, [positionRead, saved], [error, saved])
    expect(types(first.effects)).toEqual(['markMissing'])
    const second = after(open, [positionRead, saved], [error, saved], [marked, saved])
    expect(types(second.effects)).toEqual(['stopWaiting', 'readBlob'])
    const third = after(
      open,
      [positionRead, saved],
      [error, saved],
      [marked, saved],
      [{ type: 'blobRead', loadId: 0, address: undefined }, saved],
    )
    expect(third.flow.load).toMatchObject({ source: 'network', failedSources: ['worker', 'blob'] })
    expect(third.effects).toContainEqual(expect.objectContaining({ address: '/audio/a.mp3' }))
  })
})

describe('positions', () => {
  const progress: PlayerEvent = { type: 'element', name: 'timeupdate' }

  test('saves no position before it has played', () => {
    expect(types(after(open, positionRead, { type: 'close' }).effects)).not.toContain('savePosition')
  })

  test('saves the position every five seconds while playing', () => {
    const started = [...opened, [progress, at(1)]] as const
    expect(types(after(...started).effects)).toEqual(['savePosition'])
    expect(after(...started, [progress, at(2, moment.now + noteEveryMs - 1)]).effects).toEqual([])
    expect(types(after(...started, [progress, at(6, moment.now + noteEveryMs)]).effects)).toEqual([
      'savePosition',
    ])
  })

  test("resumes at the newer of the page's and saved position", () => {
    const left: PlayerEvent = { type: 'playFrom', recording: hope, speed: 1, seconds: 300 }
    const saved = (listenedAt: number): PlayerEvent => ({
      type: 'positionRead',
      loadId: 0,
      saved: { seconds: 900, duration: 2530, listenedAt, earlier: [] },
    })
    expect(after(left, open, saved(moment.now - 1)).flow).toMatchObject({ position: 300, resumedAt: 300 })
    expect(after(left, open, saved(moment.now + 1)).flow).toMatchObject({ position: 900, resumedAt: 900 })
  })

  test('starts from the beginning after the end was reached', () => {
    const ended = [
      ...opened,
      { type: 'setSleep', after: 'end' },
      [progress, at(2530)],
      [{ type: 'element', name: 'ended' }, at(2530)],
    ] as const satisfies readonly Step[]
    expect(after(...ended).flow.status).toBe('closed')
    expect(after(...ended, open, positionRead).flow).toMatchObject({ position: 0, resumedAt: null })
  })
})

describe('one recording at a time', () => {
  test('closes the open one before the next is opened', () => {
    const { flow, effects } = after(...opened, { type: 'toggle', recording: grace, speed: 1.5 })
    expect(flow).toMatchObject({ status: 'closed', recording: null })
    expect(effects.at(-1)).toEqual({
      type: 'dispatch',
      event: { type: 'open', recording: grace, speed: 1.5 },
    })
  })

  test('only closes if the open one is toggled', () => {
    expect(types(after(...opened, { type: 'toggle', recording: hope, speed: 1 }).effects)).not.toContain(
      'dispatch',
    )
  })
})

describe('playing on', () => {
  const playOn: PlayerEvent = { type: 'playOn', recording: grace, speed: 1 }
  const ended: Step = [{ type: 'element', name: 'ended' }, at(2530)]

  test('opens the next recording with the remaining sleep time', () => {
    const later = at(2530, moment.now + 5 * 60_000)
    const { flow, effects } = after(...opened, { type: 'setSleep', after: 15 }, [playOn, later])
    expect(flow.status).toBe('closed')
    expect(effects.slice(-2)).toEqual([
      { type: 'dispatch', event: { type: 'open', recording: grace, speed: 1 } },
      { type: 'dispatch', event: { type: 'setSleep', after: 10 } },
    ])
  })

  test('hasEnded lasts until the next play or open', () => {
    expect(after(...opened, ended).flow.hasEnded).toBe(true)
    expect(after(...opened, ended, { type: 'play' }).flow.hasEnded).toBe(false)
    expect(after(...opened, ended, { type: 'open', recording: grace, speed: 1 }).flow.hasEnded).toBe(false)
    expect(after(...opened, { type: 'setSleep', after: 'end' }, ended).flow.hasEnded).toBe(false)
  })
})

describe('the sleep timer', () => {
  test('pauses on playback progress if the timer is late', () => {
    const { flow, effects } = after(...opened, { type: 'setSleep', after: 15 }, [
      { type: 'element', name: 'timeupdate' },
      at(900, moment.now + 15 * 60_000),
    ])
    expect(flow).toMatchObject({ sleep: null, silenced: true })
    expect(types(effects).slice(-2)).toEqual(['stopSleepTimer', 'pause'])
  })

  test('has nothing to end if it ran out during a pause', () => {
    const later = moment.now + 40 * 60_000
    const { flow } = after(
      ...opened,
      { type: 'setSleep', after: 15 },
      { type: 'pause' },
      { type: 'element', name: 'pause' },
      [{ type: 'play' }, at(900, later)],
      [{ type: 'element', name: 'timeupdate' }, at(901, later + 1_000)],
    )
    expect(flow).toMatchObject({ sleep: null, silenced: false })
  })
})
