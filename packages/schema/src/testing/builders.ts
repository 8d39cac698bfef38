import type { CurrentUser } from '../auth/auth.schema.ts'
import { yearOf } from '../dates.ts'
import type { Elder } from '../elders/elders.schema.ts'
import { canonicalBooks, formatScripture } from '../scripture.ts'
import { emptyText, storedWords } from '../teachings/teaching-words.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'
import type { ManagedUser } from '../users/users.contract.ts'
import { type Random, seededRandom } from './random.ts'
import { firstNames, images, lastNames, people, settings, subjects } from './sample-words.ts'

/** A teaching with its recording, as everyone sees it; the test gives the fields that matter to it. */
export function aTeaching(given: Partial<Teaching> = {}): Teaching {
  const date = given.date ?? '2026-11-22'
  return {
    id: 1,
    uid: '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01',
    rev: 1,
    ...storedWords({
      ...emptyText,
      title: 'Hope in Christ',
      speaker: 'John Smith',
      date,
      scriptureReference: 'Romans 8:28-39',
    }),
    year: yearOf(date),
    audioUrl: `/audio/${'ab12'.repeat(16)}.mp3`,
    duration: '42:10',
    audioBytes: 20_240_000,
    audioMime: 'audio/mpeg',
    ...noCopy,
    ...given,
  }
}

/** A recording without a small copy, text or handouts, not measured yet. */
const noCopy = {
  copyUrl: null,
  copyBytes: null,
  copyMime: null,
  loudness: null,
  transcriptRev: null,
  handouts: null,
}

/** A signed-in person with the role 'user'. */
export const aUser = (given: Partial<CurrentUser> = {}): CurrentUser => ({
  id: 2,
  email: 'user@example.test',
  name: 'Sample User',
  role: 'user',
  ...given,
})

/** An account as administrators see it: active, verified, not locked. */
export const aManagedUser = (given: Partial<ManagedUser> = {}): ManagedUser => ({
  ...aUser(),
  isActive: true,
  isEmailVerified: true,
  lockedUntil: null,
  createdAt: '2026-11-22T00:00:00.000Z',
  ...given,
})

export const anElder = (given: Partial<Elder> = {}): Elder => ({
  id: 1,
  uid: 'c3a6f0d2-8a15-4f0b-a9f4-5b8f6f2d1e01',
  rev: 1,
  name: 'Sample Elder',
  role: 'Elder',
  shortBio: 'Serves the fellowship by teaching and visiting.',
  extendedBio: 'Sample Elder has served the fellowship for many years, and likes to be found in the garden.',
  imageUrl: null,
  displayOrder: 0,
  ...given,
})

/**
 * A library of `count` invented teachings without recordings, newest first, over thirty years of Sundays; the same for
 * the same seed. Up to 60,000 of them no two are the same teaching.
 */
export function manyTeachings(count: number, seed = 1): Teaching[] {
  const random = seededRandom(seed)
  const perSunday = Math.max(1, Math.ceil(count / sundays))
  return Array.from({ length: count }, (_, at) => {
    const date = sundayBefore(Math.floor(at / perSunday))
    return {
      id: count - at,
      uid: random.uuid(),
      rev: count - at,
      ...storedWords({
        ...emptyText,
        // Two of one Sunday differ by their number.
        title: perSunday === 1 ? title(random) : `${title(random)}, part ${1 + (at % perSunday)}`,
        speaker: speakerOf(at + seed),
        date,
        scriptureReference: random.whole(20) === 0 ? '' : passage(random),
      }),
      year: yearOf(date),
      audioUrl: null,
      duration: null,
      audioBytes: null,
      audioMime: null,
      ...noCopy,
    }
  })
}

/** In turn, so that each Sunday has different speakers. */
function speakerOf(turn: number): string {
  const first = turn % speakers
  return `${firstNames[first % firstNames.length]!} ${lastNames[(first * 7) % lastNames.length]!}`
}

const speakers = 40
const sundays = 30 * 52
const newestSunday = Date.UTC(2026, 10, 15)

const sundayBefore = (weeks: number) =>
  new Date(newestSunday - weeks * 7 * 24 * 60 * 60_000).toISOString().slice(0, 10)

function title(random: Random): string {
  switch (random.whole(5)) {
    case 0:
      return random.pick(images)
    case 1:
      return `${random.pick(subjects)} and ${random.pick(subjects).toLowerCase()}`
    case 2:
      return `${random.pick(people)} ${random.pick(settings)}`
    case 3:
      return `${random.pick(people)}: ${random.pick(subjects).toLowerCase()} ${random.pick(settings)}`
    default:
      return `${random.pick(subjects)} ${random.pick(settings)}`
  }
}

/** A passage that exists, of one to twenty verses; now and then a whole chapter. */
function passage(random: Random): string {
  const book = canonicalBooks[random.whole(canonicalBooks.length)]!
  const chapter = 1 + random.whole(book.verses.length)
  const last = book.verses[chapter - 1]!
  const base = book.number * 1_000_000 + chapter * 1_000
  if (random.whole(10) === 0) return formatScripture({ start: base + 1, end: base + 999 })
  const first = 1 + random.whole(last)
  return formatScripture({ start: base + first, end: base + Math.min(last, first + random.whole(20)) })
}
