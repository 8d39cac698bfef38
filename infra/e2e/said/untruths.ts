import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Page } from 'playwright-core'
import { shownAndStored } from './shown-and-stored.ts'

/** The truth outside of the device. */
export interface Outside {
  /** The library on the server. */
  teachings: readonly Teaching[]
  /** Whether the device has a connection, and the server answers. */
  isReachable: boolean
  /** The id of the signed-in user. */
  userId: number | undefined
  /** The first names of other people: what they wrote names them. */
  others: readonly string[]
  /** Titles of recordings that sound wrong. */
  faulty: readonly string[]
}

/**
 * Sentences of a page that are not so: one line each, such as `Saved (2), but 1 is whole`. While something moves a sentence may
 * be late; it must be true once the page is at rest.
 */
export async function untruths(page: Page, outside: Outside): Promise<string[]> {
  const { shown, stored } = await shownAndStored(page)
  const { lines, buttons, path } = shown
  const faults: string[] = []
  const check = (isTrue: boolean, fault: string) => {
    if (!isTrue) faults.push(fault)
  }
  const number = (pattern: RegExp) => {
    for (const line of lines) {
      const [, found] = pattern.exec(line) ?? []
      if (found !== undefined) return Number(found)
    }
    return undefined
  }

  // Freshness.
  const served = outside.teachings.map(({ uid, rev }) => `${uid} ${rev}`)
  const replica = stored.teachings.map(({ uid, rev }) => `${uid} ${rev}`)
  const other = [
    ...served.filter((one) => !replica.includes(one)),
    ...replica.filter((one) => !served.includes(one)),
  ]
  const fresh = lines.find((line) => /^Up to date, [^.]+$/.test(line))
  if (fresh !== undefined && outside.isReachable)
    check(other.length === 0, `${fresh}, but ${other.length} rows differ`)
  const offline = lines.find((line) => line.startsWith('Offline.') || line === 'You are offline')
  if (outside.isReachable) check(offline === undefined, `"${offline}", but the server answers`)
  check(!lines.some((line) => line.includes('asked too often')), 'asked too often, but no server has refused')

  // Saved recordings.
  const whole = stored.recordings.filter((recording) => recording.whole && recording.state === 'ready')
  // The others were fetched ahead while they played.
  const saved = whole.filter(({ ahead }) => !ahead)
  const claimed = number(/^Saved \((\d+)\)$/)
  if (claimed !== undefined)
    check(claimed === saved.length, `Saved (${claimed}), but ${saved.length} are whole`)
  const titles = new Map(outside.teachings.map((teaching) => [teaching.title, teaching]))
  const recordingsOf = (title: string) => {
    const { audioUrl, copyUrl } = titles.get(title) ?? {}
    return stored.recordings.filter(({ url }) => url === audioUrl || url === copyUrl)
  }
  for (const name of buttons) {
    const [, words, title] = /^(Saved|Waiting|\d+ %|Save offline \([^)]*\)): (.*)$/.exec(name) ?? []
    if (words === undefined || title === undefined || !titles.has(title)) continue
    const of = recordingsOf(title)
    const isWhole = of.some((recording) => saved.includes(recording))
    if (words === 'Saved') check(isWhole, `"${title}" is Saved, but not whole`)
    else check(!isWhole, `"${title}" shows ${words}, but is whole`)
    if (words.endsWith('%') || words === 'Waiting')
      check(
        of.some(({ state }) => state === 'waiting'),
        `"${title}" shows ${words}, but does not wait`,
      )
  }
  for (const title of shown.needConnection) {
    check(!outside.isReachable, `"${title}" needs a connection, but there is one`)
    const isWhole = recordingsOf(title).some((recording) => whole.includes(recording))
    check(!isWhole, `"${title}" needs a connection, but is saved`)
  }
  if (path === '/teaching' && outside.isReachable)
    check(!shown.showsSaved || shown.asksSaved, 'shows the saved ones alone, online')

  // Changes and uploads.
  if (path === '/teaching') {
    const mine = stored.outbox.filter(({ ownerUserId }) => ownerUserId === outside.userId)
    const among = (...states: string[]) => mine.filter(({ state }) => states.includes(state)).length
    const retrying = mine.filter(({ state, attempts }) => state === 'queued' && attempts > 0).length
    const waiting = number(/^(\d+) changes? on this device, will be sent/) ?? 0
    check(waiting === retrying, `${waiting} changes on this device, but ${retrying} are retried`)
    const attention = number(/^Needs your attention \((\d+)\)$/) ?? 0
    const undecided = among('conflict', 'rejected')
    check(attention === undecided, `Needs your attention (${attention}), but ${undecided} do`)
    const signIn = number(/^Sign in to send (\d+) changes?$/) ?? 0
    check(signIn === among('blocked_auth'), `Sign in to send ${signIn}, but ${among('blocked_auth')} need it`)
    if (lines.some((line) => line.endsWith('when you’re back online')))
      check(!outside.isReachable, '"when you’re back online", but it is online')
  }
  for (const { name, words } of shown.jobs) {
    const job = stored.jobs.find(({ fields, filename }) => fields.title === name || filename === name)
    check(job !== undefined, `the upload "${name}" is shown, but not stored`)
    if (!job) continue
    if (words === 'In the library') check(titles.has(name), `"${name}" is In the library, but it is not`)
    if (words === 'Waiting for a connection')
      check(!outside.isReachable, `"${name}" waits for a connection, but has one`)
    const asks =
      ['duplicate', 'rejected', 'lost', 'blocked_auth'].includes(job.state) || job.unconfirmed === true
    check(
      words.startsWith('Needs your attention') === (asks && job.state !== 'blocked_auth'),
      `"${name}": ${words}, but it is ${job.state}`,
    )
  }
  for (const title of outside.faulty)
    check(
      !lines.includes(`“${title}” is published. Sound is good.`),
      `"${title}" sounds good, but it does not`,
    )

  // Listening.
  if (path === '/listening') {
    const known = new Set(stored.teachings.map(({ uid }) => uid))
    const count = (title: string) => number(new RegExp(`^${title} \\((\\d+)\\)$`)) ?? 0
    const favourites = stored.marks.filter(({ uid, favourite }) => favourite?.on && known.has(uid)).length
    check(
      count('Favourites') === favourites,
      `Favourites (${count('Favourites')}), but there are ${favourites}`,
    )
    const about = new Set(
      stored.notes.filter(({ removed, uid }) => !removed && known.has(uid)).map(({ uid }) => uid),
    )
    check(count('Notes') === about.size, `Notes (${count('Notes')}), but there are ${about.size}`)
    check(
      stored.owner === (outside.userId ?? 0),
      `shows the listening of ${stored.owner} to ${outside.userId}`,
    )
    const says = (sentence: string) => lines.some((line) => line.startsWith(sentence))
    if (says(listeningTexts.withAccount))
      check(stored.account?.on === true, 'kept with the account, but it is off')
    if (says(listeningTexts.onDevice)) check(stored.owner === 0, 'on this device alone, but of a person')
    if (says(listeningTexts.ofUser))
      check(!stored.account?.on, 'on this device alone, but kept with the account')
    if (lines.some((line) => /^Up to date, .*\.$/.test(line)))
      check(stored.unsentListening === 0, `listening is up to date, but ${stored.unsentListening} wait`)
  }
  for (const name of outside.others)
    check(!lines.some((line) => line.includes(`Of ${name}`)), `shows what ${name} wrote`)
  return faults
}
