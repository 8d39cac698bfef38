import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { call } from '@fellowship/sync/call/call'
import { beforeAll, describe, expect, test } from 'vitest'
import { inSoak, nightly } from '../support/in-soak.ts'
import { administrator } from '../support/people.ts'
import { mp3, onDisk, stereoWav } from '../support/recordings.ts'
import { type EngineJourney, engineJourney, installing } from './engine-journey.ts'
import { firefox } from './firefox.ts'
import { openSignedIn, play, player, save, search, seekTo, signIn, sound, synced, titles } from './steps.ts'
import { button, dialog, field, heading, like, link, row, text, type Target } from './target.ts'
import { webkit } from './webkit.ts'

/** Console messages of engines if a server does not answer. */
const serverDown = [
  /^NS_ERROR_(?:CONNECTION_REFUSED|NET_RESET|NET_INTERRUPT|NET_PARTIAL_TRANSFER|FAILURE)\b/,
  /^CONSOLE NETWORK ERROR Failed to load resource:/,
  // Firefox's own words of a request that ends with its page or with the browser.
  /^uncaught Error: Failed to load ‘[^’]*’\. A ServiceWorker intercepted the request/,
]
const uploadPanel: Target = { role: 'region', name: 'Upload Teaching' }
const shepherd = 'The good shepherd'
/** One sentence each ten seconds. */
const spoken = [
  'The Lord is my shepherd.',
  'He makes me lie down in green pasture.',
  'He restores my soul.',
  'Beside the still waters he leads me.',
  'Goodness and mercy follow me.',
]

/** Adds the text of a teaching. */
async function say(
  site: EngineJourney,
  name: string,
  { isApproved }: { isApproved: boolean },
): Promise<Teaching> {
  const teaching = (await site.list()).find(({ title }) => title === name)!
  const cues = spoken.map((words, at) => `00:${at}0.000 --> 00:${at}9.500\n${words}\n`)
  const files = { transcript: new File([`WEBVTT\n\n${cues.join('\n')}`], 'text.vtt') }
  const session = await site.session()
  await call(transcripts.save, { params: teaching, query: {}, files }, session)
  if (isApproved) await call(transcripts.approve, { params: teaching, body: {} }, session)
  return teaching
}

/** The sentence that sounds, in the large player. */
const soundingWords = () =>
  document.querySelector('.read-along [aria-current]')?.textContent?.trim() ?? 'none'

/** Texts that this device has stored with its recordings. */
const storedTexts = () =>
  new Promise<number>((resolve, reject) => {
    const request = indexedDB.open('spoken')
    request.onerror = () => reject(new Error('not opened'))
    // The worker makes it.
    request.onupgradeneeded = () => request.transaction!.abort()
    request.onsuccess = () => {
      const database = request.result
      const count = database.transaction('sentences').objectStore('sentences').count()
      count.onsuccess = () => {
        database.close()
        resolve(count.result)
      }
    }
  })

/** Long enough to be offered as a smaller file. */
const wavSeconds = 60

for (const engine of [firefox, webkit]) {
  const missing = engine.missing()
  // In CI a missing engine fails.
  const skipped = missing.length > 0 && !process.env['CI']
  if (skipped) console.log(installing(engine, missing))

  describe.skipIf(skipped)(engine.name, () => {
    const site = engineJourney(engine)

    // Of the journeys of every run, that of Firefox alone needs them.
    const addsLibrary = inSoak || engine === firefox
    beforeAll(async () => {
      const library = [
        [shepherd, 'Jane Doe', '2026-11-15', 'Psalm 23', 3_000_000],
        ['Living hope', 'Jane Doe', '2026-11-08', '1 Peter 1:3-9', 0],
        ['Be still', 'John Smith', '2025-11-09', 'Psalm 46', 0],
      ] as const
      for (const [title, speaker, date, scriptureReference, bytes] of addsLibrary ? library : [])
        await site.add(mp3('a.mp3', { bytes }), { title, speaker, date, scriptureReference })
    })

    nightly('searches and browses the library', async () => {
      const { screen } = site
      await screen.open(`${site.url}/teaching`)
      // Only then may pages be left in the middle of anything: see `removeIfStuck`.
      await synced(screen)
      await screen.open(`${site.url}/`)
      await screen.see(heading(like(/Welcome/), 1))
      await screen.click(link('About'))
      await screen.see(heading('Who We Are', 1))
      await screen.click(link('Teaching'))
      await screen.comesTo(() => titles(screen), [shepherd, 'Living hope', 'Be still'])
      await search(screen, 'smith', ['Be still'])
      await search(screen, 'ps 23', [shepherd])
      await screen.fill({ role: 'searchbox' }, '')
      await screen.click(button('Filter by book, speaker or year'))
      await screen.click(button(like(/^Psalms \d+ teachings?$/), { role: 'main' }))
      await screen.see(heading('Teaching on Psalms', 2))
      await screen.comesTo(() => titles(screen), [shepherd, 'Be still'])
      await screen.click(link('About'))
      await screen.see(heading('Who We Are', 1))
      await screen.browser.back()
      await screen.see(heading('Teaching on Psalms', 2))
      await screen.comesTo(() => titles(screen), [shepherd, 'Be still'])
    })

    nightly('signs in, stays signed in after a reload, signs out', async () => {
      // First of those that sign in, as they share a browser.
      const { screen } = site
      await screen.open(`${site.url}/about`)
      await signIn(screen, administrator)
      await screen.open(`${site.url}/about`)
      await screen.click(button(administrator.name))
      await screen.click(button('Sign Out', dialog('Your account')))
      await screen.see(text('Logout successful'))
      await screen.see(button('Sign In'))
      // Signing out leads home. If this page is left meanwhile, the load of that code is reported as failed.
      await screen.see(heading(like(/Welcome/), 1))
    })

    nightly('plays, seeks, pauses and resumes a recording', async () => {
      const { screen } = site
      await screen.open(`${site.url}/teaching`)
      await play(screen, shepherd)
      await seekTo(screen, shepherd, 0.6)
      await screen.click(button('Pause', player(shepherd)))
      await screen.comesTo(async () => (await sound(screen)).paused, true)
      const { at } = await sound(screen)
      await screen.open(`${site.url}/teaching`)
      await play(screen, shepherd)
      // An engine may be heard from the beginning before the page learns that it has read enough to go there.
      // A failure then names both positions: whether the recording began anew, or at another one.
      const near = (heard: number) => (Math.abs(heard - at) < 30 ? at : heard)
      await screen.comesTo(async () => near((await sound(screen)).at), at)
    })

    nightly('Back closes the large player, then leads back', async () => {
      const { screen } = site
      await screen.open(`${site.url}/teaching`)
      await play(screen, shepherd)
      await screen.click(link('About'))
      await screen.see(heading('Who We Are', 1))
      await screen.click(button(like(/^Open the player: /)))
      await screen.see(dialog(shepherd))
      await screen.browser.back()
      await screen.gone(dialog(shepherd))
      expect(await screen.texts(heading('Who We Are', 1))).toHaveLength(1)
      expect((await sound(screen)).paused).toBe(false)
      await screen.browser.back()
      await screen.see(heading('Teaching', 1))
    })

    // Firefox's protocol has none.
    if (engine === webkit)
      nightly('plays after a hard reload', async () => {
        const { screen } = site
        await screen.open(`${site.url}/teaching`)
        await synced(screen)
        await screen.browser.hardReload!()
        await screen.moveMouse()
        await screen.see(text(like(/^Up to date, /)))
        await play(screen, shepherd)
        await screen.open(`${site.url}/teaching`)
        await synced(screen)
      })

    // WebKitGTK at times gives a saved recording no length at first, and the player's slider then leads to its beginning.
    if (engine === firefox)
      test('opens, searches and plays saved recordings without a server', async () => {
        await site.screen.open(`${site.url}/teaching`)
        await synced(site.screen)
        await save(site.screen, shepherd)
        site.allow(...serverDown)
        await site.product.kill()
        await site.openBrowserAgain()
        const { screen } = site
        // A page from the cache costs two seconds of the processor; in Chromium all are opened in every run.
        if (inSoak) {
          await screen.open(`${site.url}/`)
          await screen.see(heading(like(/Welcome/), 1))
          await screen.open(`${site.url}/about`)
          await screen.see(heading('Who We Are', 1))
        }
        await screen.open(`${site.url}/teaching`)
        await screen.see(heading('Saved on this device', 2))
        await screen.click(link('All Teaching'))
        await screen.comesTo(() => titles(screen), [shepherd, 'Living hope', 'Be still'])
        await search(screen, 'living', ['Living hope'])
        await screen.fill({ role: 'searchbox' }, '')
        await play(screen, shepherd)
        expect((await sound(screen)).address).toMatch(/^blob:|\/offline-audio\/[0-9a-f]{64}\.mp3$/)
        await seekTo(screen, shepherd, 0.9)
        await seekTo(screen, shepherd, 0.2)
      })

    // In WebKit it plays from the network: see `canFetchAhead`.
    if (engine === firefox)
      nightly('plays on without a server once the rest is fetched', async () => {
        const { screen } = site
        await screen.open(`${site.url}/teaching`)
        await synced(screen)
        await play(screen, shepherd)
        expect((await sound(screen)).address).toMatch(/\/offline-audio\/[0-9a-f]{64}\.mp3$/)
        await screen.see(text('Playing from this device'))
        site.allow(...serverDown)
        await site.product.kill()
        await seekTo(screen, shepherd, 0.9)
        await seekTo(screen, shepherd, 0.3)
      })

    nightly('finds what was said, and reads along', async () => {
      await say(site, shepherd, { isApproved: true })
      const { screen } = site
      await screen.open(`${site.url}/teaching`)
      await synced(screen)
      // In WebKitGTK a saved recording at times stays at "Loading": it plays from the network.
      if (engine === firefox) {
        await save(screen, shepherd)
        await screen.comesTo(() => screen.inPage(storedTexts), 1)
        site.allow(...serverDown)
        await site.product.kill()
      }
      await screen.fill({ role: 'searchbox' }, 'stil watters')
      await screen.see(heading('In what was said (1)', 3))
      await screen.click(button(like(/^Play The good shepherd from 30 seconds: Beside the still waters/)))
      // An engine says that it plays before it has gone to the place.
      await screen.comesTo(async () => {
        const { at, paused } = await sound(screen)
        return !paused && at > 28 && at < 34
      }, true)
      await screen.click(button(like(/^Open the player: /)))
      await screen.click(button('Read along', dialog(shepherd)))
      await screen.comesTo(() => screen.inPage(soundingWords), 'Beside the still waters he leads me.')
      await screen.click(button('Goodness and mercy follow me.'))
      await screen.comesTo(() => screen.inPage(soundingWords), 'Goodness and mercy follow me.')
    })

    nightly('corrects what was said, and approves it', async () => {
      const { screen } = site
      await openSignedIn(screen, site.url, administrator)
      const teaching = await say(site, 'Be still', { isApproved: false })
      await screen.open(site.url + teachingPath(teaching))
      await screen.click(button('Add or check the text'))
      const editor = dialog('Text of Be still')
      await screen.click(button(spoken[1]!, editor))
      await screen.fill(field('Sentence', editor), 'He makes me lie down in green pastures.')
      await screen.click(button('Approve', editor))
      await screen.see(text(texts.approved, editor))
      const approved = async () => {
        const { approved: shown } = await call(transcripts.read, { params: teaching }, await site.session())
        return shown?.sentences[1]?.text
      }
      await screen.comesTo(approved, 'He makes me lie down in green pastures.')
    })

    const everyRun = engine === webkit ? test : nightly
    everyRun('uploads and plays a recording', async () => {
      const { screen } = site
      await openSignedIn(screen, site.url, administrator)
      const recording = mp3('2026-11-22_John-Smith"Grace that teaches"_Titus_2_11-14.mp3', {
        bytes: 1_000_000,
        isShort: true,
      })
      await screen.click(button('Upload'))
      await screen.chooseFile(field('Audio file', uploadPanel), onDisk(recording))
      await screen.see(text('Filename Parsed Successfully', uploadPanel))
      await screen.click(button('Upload Teaching', uploadPanel))
      await screen.see(text('File upload successful'))
      await screen.see(text('Titus 2:11-14', row('Grace that teaches')))
      await play(screen, 'Grace that teaches')
      const [{ audioUrl } = { audioUrl: null }] = await site.list()
      // From the server, or by the worker that fetches ahead.
      expect((await sound(screen)).address.endsWith(audioUrl!.slice('/audio/'.length))).toBe(true)
      const arrived = Buffer.from(await (await fetch(site.url + audioUrl!)).arrayBuffer())
      expect(arrived.equals(recording.buffer)).toBe(true)
    })

    nightly('shrinks a WAV on the device before sending', async () => {
      const { screen } = site
      await openSignedIn(screen, site.url, administrator)
      const recording = stereoWav('2026-11-21_John-Smith"A new song"_Psalm_96.wav', wavSeconds)
      await screen.click(button('Upload'))
      await screen.chooseFile(field('Audio file', uploadPanel), onDisk(recording))
      await screen.click(button('Make it smaller', uploadPanel))
      await screen.see(text(like(/^Made smaller: /), uploadPanel))
      await screen.click(button('Upload Teaching', uploadPanel))
      await screen.see(text('File upload successful'))
      const sent = (await site.list()).find(({ title }) => title === 'A new song')!
      expect(sent.audioUrl).toMatch(/\.mp3$/)
      expect(sent.audioBytes).toBeLessThan(recording.buffer.length / 10)
      await play(screen, 'A new song')
      expect(Math.abs((await sound(screen)).of - wavSeconds)).toBeLessThan(1)
    })

    nightly('an offline edit survives a restart and is sent', async () => {
      await openSignedIn(site.screen, site.url, administrator)
      site.allow(...serverDown)
      await site.product.kill()
      const edit = dialog('Edit Sermon')
      await site.screen.click(button('Edit Living hope'))
      await site.screen.fill(field('Title', edit), 'A living hope')
      await site.screen.click(button('Update', edit))
      const unsent = 'Changed on this device, not sent yet'
      await site.screen.see(text(unsent, row('A living hope')))
      await site.openBrowserAgain()
      const { screen } = site
      await screen.open(`${site.url}/teaching?show=all`)
      await screen.see(text(unsent, row('A living hope')))
      await site.startAgain()
      await screen.click(button('Sync'))
      await screen.gone(text(unsent))
      expect((await site.list()).map(({ title }) => title)).toContain('A living hope')
    })

    nightly('an administrator adds an elder and opens each part', async () => {
      const { screen } = site
      await openSignedIn(screen, site.url, administrator)
      await screen.open(`${site.url}/admin?tab=content&part=elders`)
      await screen.click(button('Add Elder'))
      const form = dialog('Add Elder')
      await screen.fill(field('Name', form), 'Ana')
      await screen.fill(field('Short Bio', form), 'Short')
      await screen.fill(field('Extended Bio', form), 'Long')
      await screen.click(button('Create', form))
      await screen.see(text('Elder Created'))
      await screen.comesTo(() => titles(screen), ['Ana'])
      await screen.click({ role: 'tab', name: 'System Administration' })
      await screen.see(heading('System health', 2))
      await screen.open(`${site.url}/manage`)
      await screen.see(button('Add User'))
      await screen.see(heading(like(/^Administrator/), 3))
    })
  })
}

for (const engine of inSoak ? [firefox, webkit] : []) {
  const skipped = engine.missing().length > 0 && !process.env['CI']

  describe.skipIf(skipped)(`The first visit in ${engine.name}`, () => {
    const site = engineJourney(engine)

    test('is left while its service worker starts', async () => {
      const { screen } = site
      await screen.open(`${site.url}/about`)
      const registers = () =>
        screen.inPage(async () => (await navigator.serviceWorker.getRegistration()) !== undefined)
      await screen.comesTo(registers, true)
      await screen.browser.goto('about:blank')
      await screen.open(`${site.url}/teaching`)
      await synced(screen)
    })
  })
}

const noFirefox = firefox.missing().length > 0 && !process.env['CI']

if (inSoak)
  describe.skipIf(noFirefox)('Firefox that refuses cookies and site data', () => {
    const site = engineJourney(firefox, { refuseSiteData: true })

    test('searches and plays without site data', async () => {
      await site.add(mp3('a.mp3'), { title: shepherd, speaker: 'Jane Doe', date: '2026-11-15' })
      await site.add(mp3('b.mp3'), { title: 'Be still', speaker: 'John Smith', date: '2026-11-08' })
      const { screen } = site
      // Firefox's own words, the latter once a page has been open for some seconds.
      site.allow(/Failed to (?:register\/update a ServiceWorker|get service worker registration)/)
      await screen.open(`${site.url}/`)
      await screen.inPage(() => void Object.assign(window, { stillHere: true }))
      await screen.click(link('Teaching'))
      await screen.comesTo(() => titles(screen), [shepherd, 'Be still'])
      await search(screen, 'jane', [shepherd])
      await play(screen, shepherd)
      expect(await screen.inPage(() => 'stillHere' in window), 'the page was not loaded again').toBe(true)
    })
  })
