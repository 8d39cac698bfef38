import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from './people.ts'
import { onDisk, type Recording } from './recordings.ts'

/** Waits until a value of the page is the expected one. */
export async function comesTo<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  await expect.poll(read, { timeout: 30_000 }).toEqual(expected)
}

/**
 * Waits until something is to be seen that does not stay. The page itself looks for it: on a busy machine a question now
 * and then comes too late.
 */
export async function seenInPage<Wanted>(
  page: Page,
  timeout: number,
  wanted: Wanted,
  isThere: (wanted: Wanted) => boolean,
): Promise<void> {
  // Playwright hands an argument over as it was given; its types name it otherwise.
  await page.waitForFunction(isThere as (argument: unknown) => boolean, wanted, { timeout, polling: 50 })
}

/** Waits until the message with exactly these words is on the screen; one that leads elsewhere stands for half a second. */
export async function seeToast(page: Page, title: string, description?: string): Promise<void> {
  const words = description === undefined ? [title] : [title, description]
  await seenInPage(page, 30_000, words, (wanted) =>
    [...document.querySelectorAll('#toasts li')].some((message) => {
      const texts = [...message.querySelectorAll('*')].map(({ textContent }) => textContent)
      return message.checkVisibility() && wanted.every((text) => texts.includes(text))
    }),
  )
}

/** The message on the screen; under an open dialog too, where it is hidden from readers. */
export function toast(page: Page, title: string, description?: string): Locator {
  const titled = page
    .getByRole('listitem', { includeHidden: true })
    .filter({ has: page.getByText(title, { exact: true }) })
  return description === undefined
    ? titled
    : titled.filter({ has: page.getByText(description, { exact: true }) })
}

/** The row of a teaching, by its title. */
export const row = (page: Page, title: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title, exact: true, level: 3 }) })

/** The titles of the rows, from the top. */
export const titles = (page: Page): Promise<string[]> =>
  page.getByRole('main').getByRole('heading', { level: 3 }).allTextContents()

/** Each part of administration, and what stands there once it is loaded. */
export const administration: readonly { path: string; shown: string | RegExp }[] = [
  { path: '/admin?tab=content&part=elders', shown: 'Add Elder' },
  { path: '/admin?tab=content&part=passages', shown: /of 500/ },
  { path: '/admin?tab=content&part=podcast', shown: 'The feed has not been tested yet' },
  { path: '/admin?tab=content&part=deleted', shown: 'Deleted teachings' },
  { path: '/admin?tab=system&part=info', shown: /^Node\.js v/ },
  { path: '/admin?tab=system&part=sftp', shown: 'sftp-staging' },
  { path: '/admin?tab=system&part=processes', shown: /^\d+ of 80$/ },
  { path: '/admin?tab=system&part=activity', shown: 'Who changed what, and when.' },
  { path: '/admin?tab=backup', shown: 'Create Manual Backup' },
  { path: '/manage', shown: 'Add User' },
]

/** Goes to another page of the site as a link on this one does: nothing is loaded anew. */
export const goWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => history.pushState(null, '', address), path)

export const signInPanel = (page: Page): Locator => page.getByRole('dialog', { name: 'Sign In' })

/** Fills the open panel and sends it. */
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

/** Chooses a recording as a person does: a click, and the system's own dialog. */
export async function pickFile(page: Page, file: Recording | string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await uploadPanel(page).getByLabel('Audio file').click()
  // By its path: megabytes through the line to the browser take a busy machine longer than anyone waits.
  await (await chooser).setFiles(typeof file === 'string' ? file : onDisk(file))
}

/** Drags a file of the disk over the panel and lets go. */
export async function dropFile(page: Page, file: string): Promise<void> {
  const zone = uploadPanel(page).getByLabel('Audio file')
  await zone.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await zone.boundingBox())!
  const hand = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await hand.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
  }
  await hand.detach()
}

/** Keeps a call from leaving until it is released. */
export async function hold(page: Page, address: string | RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(address, async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** Presses Play and waits until the recording sounds. */
export async function play(page: Page, title: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `Play ${title}` })
    .click()
  await sounds(page)
}

/** Waits until exactly one recording is running, and runs on. */
export async function sounds(page: Page): Promise<void> {
  await comesTo(async () => (await running(page)).length, 1)
  const [before] = await running(page)
  await comesTo(async () => ((await running(page))[0]?.at ?? 0) > before!.at, true)
}

/** The recordings that are running: their address and where each is, in seconds. */
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
