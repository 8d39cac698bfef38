import { audit } from '@fellowship/schema/audit/audit.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveFaultyLine, type FaultyLine } from '../support/faulty-line.ts'
import { administrator, member, register } from '../support/people.ts'
import { portrait } from '../support/pictures.ts'
import { mp3 } from '../support/recordings.ts'
import { serveTwoBuilds } from '../support/second-build.ts'
import { engineJourney, installing } from './engine-journey.ts'
import {
  buildName,
  cachedTypes,
  dropBuild,
  endSession,
  hasPhoto,
  lookForUpdate,
  newVersions,
  pressTwice,
  upgradeElsewhere,
} from './in-page.ts'
import { openSignedIn, play, player, seekTo, signOut, synced } from './steps.ts'
import { button, dialog, field, heading, like, link, row, text } from './target.ts'
import { webkit } from './webkit.ts'

/**
 * Of the faults that reviews found on devices, those that WebKitGTK can show, nearest to an iPhone. Its protocol can neither
 * intercept requests nor run scripts before those of a page: the network is a proxy here, and storage that fails from the
 * beginning, a missing service worker and clocks are for Chromium alone.
 */
const missing = webkit.missing()
const skipped = missing.length > 0 && !process.env['CI']
if (skipped) console.log(installing(webkit, missing))

const shepherd = 'The good shepherd'
/** WebKit's words for answers from 400 on and for connections that end. */
const failedRequests = /^CONSOLE NETWORK ERROR Failed to load resource:/
/** Of a page that is left while it waits for hints. */
const endedStream = /^CONSOLE JS ERROR EventSource cannot load/
const editForm = dialog('Edit Sermon')
const unsent = text('Changed on this device, not sent yet')
const wordsAreBack = text(like(/^Your words of .* are here again\./))

describe.skipIf(skipped)('WebKitGTK', () => {
  const site = engineJourney(webkit)
  let line: FaultyLine

  beforeAll(async () => {
    line = await serveFaultyLine(site.url)
    await register(site.url, member)
    for (const [title, bytes] of [
      [shepherd, 3_000_000],
      ['Living hope', 0],
      ['Be still', 0],
    ] as const)
      await site.add(mp3('a.mp3', { bytes }), { title, speaker: 'Jane Doe', date: '2026-11-15' })
  })
  beforeEach(() => {
    site.allow(failedRequests, endedStream)
    line.faultOf = () => 'none'
  })
  afterAll(() => line?.stop())

  const titles = async () => (await site.list()).map(({ title }) => title)

  /** The listening that the administrator's account holds. */
  const ofAccount = async () => call(listening.pull, { query: {} }, await site.session())

  async function edit(title: string, changes: Record<string, string>): Promise<void> {
    const { screen } = site
    await screen.click(button(`Edit ${title}`))
    for (const [label, words] of Object.entries(changes)) await screen.fill(field(label, editForm), words)
  }

  const written = (label: string) =>
    site.screen.inPage(
      (name) =>
        [...document.querySelectorAll<HTMLInputElement>('[role=dialog] :is(input, textarea)')].find(
          ({ labels }) => labels?.[0]?.textContent?.startsWith(name),
        )?.value,
      label,
    )

  test('an open form keeps what another person changes', async () => {
    const { screen } = site
    const session = await site.session()
    const teachings = (await site.list()).map(({ uid }) => uid)
    const body = { title: 'Shepherds', description: 'First words.', teachings: teachings.slice(0, 1) }
    const { uid, slug } = await call(series.create, { body }, session)
    await openSignedIn(screen, line.url, member)
    await screen.open(`${line.url}/series/${slug}`)
    const form = dialog('Edit Series')
    await screen.click(button('Edit', { role: 'main' }))
    await screen.fill(field('Title', form), 'Good shepherds')
    const changes = { description: 'Better words.', teachings }
    await call(series.update, { params: { uid }, body: changes }, session)
    await screen.see(text('Better words.', form))
    expect(await written('Title')).toBe('Good shepherds')

    await screen.click(button('Save', form))
    await screen.see(text('Series updated successfully'))
    const saved = (await call(series.list, {}, session)).find((each) => each.uid === uid)
    expect(saved).toMatchObject({ title: 'Good shepherds', ...changes })
  })

  test('typed words survive a session and the browser', async () => {
    const words = 'Words of half an hour'
    await openSignedIn(site.screen, line.url, member)
    await edit('Living hope', { Speaker: words })
    await site.screen.inPage(endSession)
    await site.screen.see(button('Sign In'))
    expect(await written('Speaker')).toBe(words)

    await site.openBrowserAgain()
    const { screen } = site
    await openSignedIn(screen, line.url, administrator)
    await screen.click(button('Edit Living hope'))
    await screen.see(field('Speaker', editForm))
    expect(await screen.texts(wordsAreBack), 'words of another person').toEqual([])
    await screen.click(button('Cancel', editForm))
    await signOut(site.screen, administrator)
    await openSignedIn(screen, line.url, member)
    await screen.click(button('Edit Living hope'))
    await screen.see(wordsAreBack)
    await screen.click(button('Update', editForm))
    await screen.comesTo(
      async () => (await site.list()).find(({ title }) => title === 'Living hope')?.speaker,
      words,
    )
    await signOut(site.screen, member)
  })

  test('words stay while another tab upgrades the database', async () => {
    const { screen } = site
    await openSignedIn(screen, line.url, member)
    await edit('Be still', { Speaker: 'A long name' })
    await screen.inPage(upgradeElsewhere)
    await screen.see(text(like(/^The app was updated in another tab, and this page cannot save/)))
    expect(await written('Speaker')).toBe('A long name')
    await site.openBrowserAgain()
    await openSignedIn(site.screen, line.url, member)
    await site.screen.click(button('Edit Be still'))
    await site.screen.see(wordsAreBack)
    expect(await written('Speaker')).toBe('A long name')
    await site.screen.click(button('Discard', editForm))
    await site.screen.click(button('Cancel', editForm))
    await signOut(site.screen, member)
  })

  test('a note stays with the person who wrote it', async () => {
    const { screen } = site
    const note = 'Pray for my family'
    await openSignedIn(screen, line.url, administrator)
    await screen.open(`${line.url}/listening`)
    await screen.click({ role: 'switch', name: 'Keep my listening on all my devices' })
    await screen.see(text('Up to date, just now.'))
    await signOut(site.screen, administrator)

    await openSignedIn(screen, line.url, member)
    await play(screen, shepherd)
    await screen.click(link('About'))
    await screen.click(button(like(/^Open the player: /)))
    await screen.click(button('Write a note'))
    await screen.fill(field(like(/^Note at /)), note)
    await screen.inPage(pressTwice, 'Save note')
    await screen.see(text(note))
    await screen.comesTo(async () => (await screen.texts(button(like(/^Remove the note at/)))).length, 1)
    await screen.click(button('Stop and close the player'))
    await signOut(site.screen, member)

    await openSignedIn(screen, line.url, administrator)
    await screen.open(`${line.url}/listening`)
    await screen.see(text('Up to date, just now.'))
    expect(await screen.texts(text(note))).toEqual([])
    expect(await screen.texts(button('Add it to mine'))).toEqual([])
    expect(JSON.stringify(await ofAccount()), 'held by the account').not.toContain(note)
    await signOut(site.screen, administrator)

    await openSignedIn(screen, line.url, member)
    await screen.open(`${line.url}/listening`)
    await screen.see(text(note))
    await signOut(site.screen, member)
  })

  test('an edit waits for its person and is sent once', async () => {
    const { screen } = site
    const isChange = (method: string, path: string) => method !== 'GET' && path.startsWith('/api/teachings/')
    await openSignedIn(screen, line.url, member)
    line.faultOf = (method, path) => (isChange(method, path) ? 'foreign page' : 'none')
    await edit('Be still', { Title: 'Be still, and know' })
    await screen.click(button('Update', editForm))
    await screen.see({ ...unsent, within: row('Be still, and know') })
    await screen.click(button(member.name))
    await screen.click(button('Sign Out', dialog('Your account')))
    await screen.see(text(like(/waits 1 change of yours/), dialog('Before you sign out')))
    await screen.click(button('Keep on this device'))
    await screen.see(text('Logout successful'))
    line.faultOf = () => 'none'

    await openSignedIn(screen, line.url, administrator)
    await screen.click(button('Sync'))
    await screen.see(text('Cache Synchronized'))
    await screen.see(row('Be still'))
    expect(await titles()).toContain('Be still')
    await signOut(site.screen, administrator)

    let lost = 0
    line.faultOf = (method, path) => (isChange(method, path) && lost++ === 0 ? 'lost answer' : 'none')
    await openSignedIn(screen, line.url, member)
    await screen.comesTo(titles, ['Be still, and know', 'Living hope', shepherd])
    await screen.see(row('Be still, and know'))
    await screen.gone(unsent)
    expect(lost, 'requests that carried it').toBeGreaterThan(1)
    const query = { area: 'teaching', q: 'Be still, and know', limit: 50 }
    const { lines } = await call(audit.list, { query }, await site.session())
    expect(lines.map(({ action }) => action)).toEqual(['teaching.edited'])
    await signOut(site.screen, member)
  })

  test('a foreign page becomes no picture and no recording', async () => {
    const { screen } = site
    const session = await site.session()
    const body = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long' }
    const { id } = await call(elders.create, { body: body as never }, session)
    const photo = new File([new Uint8Array(await portrait())], 'ana.png', { type: 'image/png' })
    await call(elders.photo, { params: { id }, files: { photo } }, session)
    await screen.open(`${line.url}/teaching`)
    await synced(screen)
    line.faultOf = (_, path) => (/^\/(?:images|audio)\//.test(path) ? 'foreign page' : 'none')
    const met = () => line.met.get('foreign page') ?? 0
    const before = met()
    await screen.click(button(like(/^Save offline.*: Be still/)))
    await screen.comesTo(async () => met() > before, true)
    const withAudio = met()
    await screen.open(`${line.url}/about`)
    await screen.see(heading('Ana', 3))
    await screen.inPage(hasPhoto)
    await screen.comesTo(async () => met() > withAudio, true)
    await screen.comesTo(() => screen.inPage(cachedTypes), [])

    line.faultOf = () => 'none'
    await screen.open(`${line.url}/about`)
    await screen.comesTo(() => screen.inPage(hasPhoto), true)
    await screen.comesTo(() => screen.inPage(cachedTypes), ['image/webp'])
    await screen.open(`${line.url}/teaching`)
    await screen.click(button('Sync'))
    await screen.see(button(like(/^Saved: Be still/)))
  })

  test('a foreign build is not installed, the next one is', async () => {
    const { screen } = site
    site.allow(/./)
    const builds = await serveTwoBuilds(site.url)
    try {
      await screen.open(`${builds.url}/teaching`)
      await synced(screen)
      await screen.inPage(dropBuild)
      builds.release()
      builds.falsify(true)
      await screen.inPage(lookForUpdate)
      await screen.comesTo(() => screen.inPage(newVersions), { installing: false, waiting: false })
      expect(await screen.texts(text('A new version is ready'))).toEqual([])
      builds.falsify(false)
      await screen.inPage(lookForUpdate)
      await screen.see(text('A new version is ready'))
      await screen.click(button('Update'))
      await screen.comesTo(() => screen.inPage(buildName), 'second')
      await synced(screen)
    } finally {
      await screen.browser.goto('about:blank')
      await builds.stop()
    }
  })

  test('a pause sends the place at once', async () => {
    await openSignedIn(site.screen, line.url, administrator)
    await site.screen.open(`${line.url}/listening`)
    const keeps = { role: 'switch', name: 'Keep my listening on all my devices' }
    if (!(await ofAccount()).on) await site.screen.click(keeps)
    await site.screen.see(text('Up to date, just now.'))
    await site.screen.open(`${line.url}/teaching`)
    await play(site.screen, shepherd)
    await seekTo(site.screen, shepherd, 0.6)
    await site.screen.click(button('Pause', player(shepherd)))
    const place = async () => {
      const account = await ofAccount()
      const places = account.on ? account.changes.filter(({ kind }) => kind === 'position') : []
      return places.some(({ row: at }) => 'seconds' in at && 'duration' in at && at.seconds > at.duration / 2)
    }
    // Fewer requests than the server allows.
    await expect.poll(place, { interval: 2_000, timeout: 20_000 }).toBe(true)
  })
})
