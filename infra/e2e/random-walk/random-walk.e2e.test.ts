import { setTimeout as pause } from 'node:timers/promises'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { call } from '@fellowship/sync/call/call'
import { seededRandom } from '@fellowship/sync/testing/random'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { administrator, sampleContent, sampleUser } from '../../dev/sample-content.ts'
import { violations } from '../support/axe.ts'
import { journey } from '../support/journey.ts'
import type { Person } from '../support/people.ts'
import { mp3, onDisk } from '../support/recordings.ts'
import { synced } from '../support/offline-steps.ts'
import { row } from '../support/screens.ts'
import { offlineErrors, uploadRecording } from '../support/upload-steps.ts'
import { unsettled } from './at-rest.ts'
import { pageFaults } from './page-faults.ts'
import { findConnection, findServer, randomStep, type Walk } from './random-step.ts'

/** Walks of each person, and the steps of each. */
const walks = Number(process.env['WALKS'] ?? 1)
const steps = Number(process.env['WALK_STEPS'] ?? 250)
/** The seed of the first walk. It repeats a walk roughly: what a step finds on the page depends on how fast that loads. */
const firstSeed = Number(process.env['WALK_SEED'] ?? Math.floor(Date.now() / 1_000))

const site = journey(
  { ADMIN_EMAIL: administrator.email, ADMIN_PASSWORD: administrator.password },
  { firstStart: true },
)
beforeAll(() => sampleContent(site.url))

const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

const people: { name: string; as?: Person; device: BrowserContextOptions }[] = [
  { name: 'a visitor on a phone', device: phone },
  { name: 'a member on a phone', as: { name: '', ...sampleUser }, device: { ...phone, colorScheme: 'dark' } },
  { name: 'an administrator', as: { name: '', ...administrator }, device: desktop },
  { name: 'an administrator on a phone', as: { name: '', ...administrator }, device: phone },
]
const runs = people.flatMap((person) =>
  Array.from({ length: walks }, (_, at) => ({ ...person, seed: firstSeed + at })),
)

/** Rejected input, and requests without a connection. */
const allow = [/^4\d\d /, /^net::ERR_/]

test('reports each fault of a broken page', async () => {
  // Chromium says itself that something hidden has the focus.
  const page = await site.visit('/about', { ...desktop, allow: [/^Blocked aria-hidden on an element/] })
  expect(await pageFaults(page)).toEqual([])
  await page.evaluate(() => {
    const main = document.querySelector('main')!
    main.replaceChildren(add('i', 'twice'), add('b', 'twice'))
    main.inert = true
    document.documentElement.style.overflow = 'hidden'
    const wide = add('p')
    wide.textContent = 'NaN'
    wide.style.width = '3000px'
    add('button').style.cssText = 'all: unset; display: block; width: 9px; height: 9px'

    function add(tag: string, id?: string): HTMLElement {
      const element = document.body.appendChild(document.createElement(tag))
      if (id !== undefined) element.id = id
      return element
    }
  })
  expect((await pageFaults(page)).map((fault) => fault.split(':', 1)[0])).toEqual([
    'wider than the window',
    'out of reach without a dialog',
    'does not scroll without a dialog',
    'duplicate id',
    'nothing in main',
    'says',
    'small target, 9 × 9',
  ])
  await page.evaluate(() => document.body.lastElementChild!.setAttribute('aria-modal', 'true'))
  const modal = await pageFaults(page)
  expect(modal).toContain('within reach behind a modal dialog')
  expect(modal).toContain('a modal dialog without focus')
  await page.evaluate(() => {
    const button = document.body.lastElementChild as HTMLElement
    button.ariaHidden = 'true'
    button.focus()
  })
  expect(await pageFaults(page)).toContainEqual(expect.stringMatching(/^focus on what is hidden: <button /))
})

test('reports unsent and unseen changes', async () => {
  const person = { name: '', ...administrator }
  const page = await site.visit('/teaching', { as: person, allow: offlineErrors })
  await synced(page)
  const look = async () => unsettled(page, await site.list())
  await expect.poll(look).toEqual([])
  await page.context().setOffline(true)
  const title = 'Sample: The good shepherd'
  await row(page, title)
    .getByRole('button', { name: `Delete ${title}` })
    .click()
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
  await uploadRecording(page, mp3('2025-03-02_Jane-Doe"Waits"_John_1_16.mp3'))
  const other = (await site.list()).find((teaching) => teaching.title !== title)!
  const change = { params: { id: other.id }, body: { ...textOf(other), title: 'Hope' } }
  const { uid, rev } = await call(teachings.update, change, await site.session(person))
  const found = [
    `change of ${title}: queued`,
    /^upload of .*Waits.*: queued$/,
    `only on the server: ${uid} ${rev}`,
    `only on the device: ${uid} ${other.rev}`,
  ]
  await expect
    .poll(look)
    .toEqual(found.map((line) => (typeof line === 'string' ? line : (expect.stringMatching(line) as string))))
  await page.context().setOffline(false)
  await expect.poll(look, { timeout: 60_000 }).toEqual([])
})

test.each(runs)(
  '$name acts at random from seed $seed without faults',
  { timeout: steps * 10_000 },
  async ({ as, device, seed }) => {
    const page = await site.visit('/teaching', {
      ...device,
      ...(as && { as }),
      firstVisit: true,
      reducedMotion: 'reduce',
      allow,
    })
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true))
    const random = seededRandom(seed)
    const walk: Walk = {
      random,
      context: page.context(),
      pages: [page],
      page,
      url: site.url,
      widths: device.isMobile ? [320, 360, 412, 740] : [640, 800, 1024, 1280],
      log: [],
      offlineUntil: undefined,
      serverGoneUntil: undefined,
      killServer: () => site.product.kill(),
      startServer: () => site.startAgain(),
      nextFile,
      openTab: async (path) => {
        const added = await site.visitBeside(page, path, allow)
        answerDialogs(added)
        return added
      },
    }
    answerDialogs(page)
    for (let step = 0; step < steps; step++) {
      // Some steps cannot be done, such as going back on the first page: the page has to be whole all the same.
      await randomStep(walk).catch((error: Error) =>
        walk.log.push(`  not done: ${error.message.split('\n', 1)[0]}`),
      )
      await pause(50 + random.int(250))
      await expectNone(walk, pageFaults)
      if (step % 20 === 19) await expectNone(walk, violations)
    }
    await expectRest(walk)
  },
)

/** Once connection and server are back, everything that waits is sent without a person. */
async function expectRest(walk: Walk): Promise<void> {
  await findConnection(walk)
  await findServer(walk)
  await walk.page.goto(`${walk.url}/teaching`)
  const look = async () => unsettled(walk.page, await site.list())
  await expect.poll(look, { timeout: 150_000, message: messageOf(walk) }).toEqual([])
}

/** Leaving an unsaved form is allowed, and files are chosen when they are asked for. */
function answerDialogs(page: Page): void {
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
  page.on('filechooser', (chooser) => {
    void chooser.setFiles(nextFile()).catch(() => undefined)
  })
}

let chosen = 0
/** The path of another recording each time: some take a while to send, some have a name that says nothing. */
function nextFile(): string {
  const number = ++chosen
  const name =
    number % 4 === 0 ? `recording ${number}.mp3` : `2025-03-02_Jane-Doe"Grace, part ${number}"_John_1_16.mp3`
  return onDisk(mp3(name, { bytes: number % 3 === 0 ? 4_000_000 : 0 }))
}

const isOfSite = ({ page, url }: Walk) => page.url().startsWith(url) && !page.url().endsWith('.xml')

/** Fails with the faults that remain after the page has come to rest. */
async function expectNone(walk: Walk, find: (page: Page) => Promise<string[]>): Promise<void> {
  const late = ['does not answer for 30 seconds']
  const look = async () => {
    if (!isOfSite(walk)) return []
    // A page that is being left has nothing to tell.
    const found = find(walk.page).catch((): string[] => [])
    return Promise.race([found, pause(30_000, late, { ref: false })])
  }
  const first = await look()
  if (first.length === 0) return
  await pause(2_000)
  const still = (await look()).filter((line) => first.includes(line))
  expect(still, messageOf(walk)).toEqual([])
}

/** The address of the page, and the last steps. */
const messageOf = ({ page, log }: Walk) => {
  const { width, height } = page.viewportSize()!
  return `${page.url()}, ${width} × ${height}, after:\n  ${log.slice(-40).join('\n  ')}\n`
}
