import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from './people.ts'
import { onDisk, type RecordingFile } from './recordings.ts'

/** Polls a value until it equals the expected one. */
export async function comesTo<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  await expect.poll(read).toEqual(expected)
}

/** Waits for the last step of a page's start, after which it restores the focus and sends pending entries. */
export const whenStarted = (page: Page): Promise<void> =>
  page.locator('#notices').waitFor({ state: 'attached' })

/** Waits for something short-lived by polling inside the page: polling from the test could miss it on a busy machine. */
export async function seenInPage<Wanted>(
  page: Page,
  timeout: number,
  wanted: Wanted,
  isThere: (wanted: Wanted) => boolean,
): Promise<void> {
  // Playwright passes the argument unchanged, but types it as its serialized form.
  await page.waitForFunction(isThere as (argument: unknown) => boolean, wanted, { timeout, polling: 50 })
}

/** Waits for a toast with exactly these texts; one before a redirect is visible for half a second only. */
export async function seeToast(page: Page, title: string, description?: string): Promise<void> {
  const words = description === undefined ? [title] : [title, description]
  await seenInPage(page, 30_000, words, (wanted) =>
    [...document.querySelectorAll('#toasts li')].some((message) => {
      const texts = [...message.querySelectorAll('*')].map(({ textContent }) => textContent)
      return message.checkVisibility() && wanted.every((text) => texts.includes(text))
    }),
  )
}

/** A toast, also behind an open dialog, which hides it from screen readers. */
export function toast(page: Page, title: string, description?: string): Locator {
  const titled = page
    .getByRole('listitem', { includeHidden: true })
    .filter({ has: page.getByText(title, { exact: true }) })
  return description === undefined
    ? titled
    : titled.filter({ has: page.getByText(description, { exact: true }) })
}

/** The list row of a teaching, by its title. */
export const row = (page: Page, title: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title, exact: true, level: 3 }) })

/** The titles of the rows, top to bottom. */
export const titles = (page: Page): Promise<string[]> =>
  page.getByRole('main').getByRole('heading', { level: 3 }).allTextContents()

/** Every part of administration, with a text that shows once it is loaded. */
export const administration: readonly { path: string; shown: string | RegExp }[] = [
  {
    path: '/admin?tab=content&part=inbox',
    shown: 'Recordings that need checking. Each is kept for 30 days.',
  },
  { path: '/admin?tab=content&part=elders', shown: 'Add Elder' },
  { path: '/admin?tab=content&part=pages', shown: 'Add Page' },
  { path: '/admin?tab=content&part=events', shown: 'Add Event' },
  { path: '/admin?tab=content&part=notices', shown: 'Add Notice' },
  { path: '/admin?tab=content&part=site', shown: 'What to expect' },
  { path: '/admin?tab=content&part=passages', shown: /of 500/ },
  { path: '/admin?tab=content&part=podcast', shown: 'The feed has not been tested yet' },
  { path: '/admin?tab=content&part=move-in', shown: 'Nothing was moved in yet' },
  { path: '/admin?tab=content&part=deleted', shown: 'Deleted teachings' },
  { path: '/admin?tab=system&part=info', shown: /^Node\.js v/ },
  { path: '/admin?tab=system&part=sftp', shown: 'sftp-staging' },
  { path: '/admin?tab=system&part=processes', shown: /^\d+ of 80$/ },
  { path: '/admin?tab=system&part=activity', shown: 'Who changed what, and when.' },
  { path: '/admin?tab=system&part=drafts', shown: /^Drafts of what is said/ },
  { path: '/admin?tab=system&part=users', shown: 'Add User' },
  { path: '/admin?tab=backup', shown: 'Create Manual Backup' },
  { path: '/manage', shown: 'Add User' },
]

/** Navigates within the app, without loading a document. */
export const goWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => history.pushState(null, '', address), path)

export const signInPanel = (page: Page): Locator => page.getByRole('dialog', { name: 'Sign In' })

/** Fills in the open panel and submits it. */
export async function signIn(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  const panel = signInPanel(page)
  await panel.getByLabel('Email').fill(email)
  await panel.getByLabel('Password').fill(password)
  await panel.getByRole('button', { name: 'Sign In' }).click()
}

export const uploadPanel = (page: Page): Locator => page.getByRole('region', { name: 'Upload Teaching' })

/** Chooses a recording through the file chooser. */
export async function pickFile(page: Page, file: RecordingFile | string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await openUpload(page)
  await uploadPanel(page).getByLabel('Audio file').click()
  // By path: sending megabytes through the DevTools protocol is slow on a busy machine.
  await (await chooser).setFiles(typeof file === 'string' ? file : onDisk(file))
}

/** The panel is put away until it is asked for. */
export async function openUpload(page: Page): Promise<void> {
  const input = uploadPanel(page).getByLabel('Audio file')
  const button = page.getByRole('main').getByRole('button', { name: 'Upload', exact: true })
  await comesTo(async () => (await input.isVisible()) || (await button.isVisible()), true)
  if (!(await input.isVisible())) await button.click()
}

/** Drops a file from disk on the panel, once the panel stops moving. */
export async function dropFile(page: Page, file: string): Promise<void> {
  await openUpload(page)
  const zone = uploadPanel(page).getByLabel('Audio file')
  const hand = await page.context().newCDPSession(page)
  const drag = (type: 'dragEnter' | 'dragOver' | 'dragCancel' | 'drop', { x, y }: Place) =>
    hand.send('Input.dispatchDragEvent', {
      type,
      x,
      y,
      data: { items: [], files: [file], dragOperationsMask: 1 },
    })
  let over: Place | undefined
  for (;;) {
    const middle = await middleOf(zone)
    if (over && over.x === middle.x && over.y === middle.y) break
    if (over) await drag('dragCancel', over)
    over = middle
    await drag('dragEnter', over)
    await drag('dragOver', over)
  }
  await drag('drop', over)
  await hand.detach()
}

interface Place {
  x: number
  y: number
}

/** In CSS pixels of the viewport, once it stands still. */
async function middleOf(target: Locator): Promise<Place> {
  await target.click({ trial: true })
  const { x, y, width, height } = (await target.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

/** Holds matching requests until released. */
export async function hold(page: Page, address: string | RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(address, async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** Presses Play and waits until the recording plays. */
export async function play(page: Page, title: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `Play ${title}` })
    .click()
  await sounds(page)
}

/** Waits until exactly one recording plays and its position advances. */
export async function sounds(page: Page): Promise<void> {
  await comesTo(async () => (await running(page)).length, 1)
  const [before] = await running(page)
  await comesTo(async () => ((await running(page))[0]?.at ?? 0) > before!.at, true)
}

/** The recordings that play: path, position and duration in seconds. */
export const running = (page: Page): Promise<{ src: string; at: number; of: number }[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('audio')]
      .filter((audio) => !audio.paused)
      .map((audio) => ({
        src: new URL(audio.currentSrc).pathname,
        at: audio.currentTime,
        of: audio.duration,
      })),
  )

/** The addresses of the recordings that play, whether the bytes come from the device or from the server. */
export const runningRecordings = async (page: Page): Promise<string[]> =>
  (await running(page)).map(({ src }) => src.replace('/offline-audio/', '/audio/'))
