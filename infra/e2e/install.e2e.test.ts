import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { seeState, synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3, type RecordingFile } from './support/recordings.ts'
import { comesTo, row, seeToast, signIn, signInPanel, uploadPanel } from './support/screens.ts'
import { hasBytes } from './support/upload-steps.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()

interface Picture {
  src: string
  sizes: string
  type: string
  purpose?: string
  form_factor?: string
  label?: string
}
interface Manifest {
  id: string
  short_name: string
  icons: Picture[]
  screenshots: Picture[]
  shortcuts: { name: string; url: string }[]
  share_target: { action: string; method: string; enctype: string; params: { files: { name: string }[] } }
  file_handlers: { action: string; accept: Record<string, string[]> }[]
}

const manifest = async () => (await fetch(`${site.url}/manifest.webmanifest`)).json() as Promise<Manifest>

/** Width and height from the IHDR chunk of a PNG (PNG 3, 11.2.1). */
async function pngSize({ src }: Picture): Promise<[number, number]> {
  const response = await fetch(site.url + src)
  expect(response.headers.get('content-type')).toBe('image/png')
  const bytes = Buffer.from(await response.arrayBuffer())
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

describe('the web app manifest', () => {
  test('meets the browser’s installability criteria', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    const line = await page.context().newCDPSession(page)
    const { errors } = await line.send('Page.getAppManifest')
    expect(errors).toEqual([])
    // Incognito, which every test context is, is the only allowed reason.
    const { installabilityErrors } = await line.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    )
  })

  test('declares the share target and file handlers', async () => {
    const { share_target: share, file_handlers: handlers } = await manifest()
    expect(share).toMatchObject({ action: '/share', method: 'POST', enctype: 'multipart/form-data' })
    expect(share.params.files.map(({ name }) => name)).toEqual(['audioFile'])
    expect(handlers.map(({ action }) => action)).toEqual(['/teaching?focus=upload'])
    expect(Object.values(handlers[0]!.accept).flat().sort()).toEqual(['.m4a', '.mp3', '.wav'])
  })

  test('icons and screenshots have their declared size', async () => {
    const { icons, screenshots } = await manifest()
    for (const picture of [...icons, ...screenshots]) {
      expect(`${(await pngSize(picture)).join('x')}`, picture.src).toBe(picture.sizes)
    }
    expect(icons.filter(({ purpose }) => purpose === 'maskable').map(({ sizes }) => sizes)).toEqual([
      '192x192',
      '512x512',
    ])
    for (const form of ['narrow', 'wide']) {
      const ours = screenshots.filter(({ form_factor }) => form_factor === form)
      expect(ours.length, form).toBeGreaterThan(0)
      expect(new Set(ours.map(({ sizes }) => sizes)).size, `${form} has one ratio`).toBe(1)
      for (const { sizes, label } of ours) {
        const sides = sizes
          .split('x')
          .map(Number)
          .sort((a, b) => a - b) as [number, number]
        expect(sides[0]).toBeGreaterThanOrEqual(320)
        expect(sides[1]).toBeLessThanOrEqual(3840)
        expect(sides[1] / sides[0]).toBeLessThanOrEqual(2.3)
        expect(label).toBeTruthy()
      }
    }
    expect(screenshots.length).toBeLessThanOrEqual(8)
  })
})

nightlySuite('the app icon shortcuts', () => {
  const address = async (name: string) =>
    (await manifest()).shortcuts.find((shortcut) => shortcut.name === name)!.url

  nightly('a shortcut opens the saved teachings', async () => {
    const page = await site.visit(await address('Saved on this device'))
    await page.getByRole('heading', { name: 'Saved on this device' }).waitFor()
    await page.getByText('Nothing is saved on this device yet').waitFor()
  })

  nightly('a shortcut opens the library with search focused', async () => {
    const page = await site.visit(await address('Search'))
    await page.locator('input[type=search]:focus').waitFor()
  })

  nightly('a shortcut opens the upload panel after signing in', async () => {
    const page = await site.visit(await address('Upload'))
    await signInPanel(page).waitFor()
    await signIn(page, member)
    await uploadPanel(page).waitFor()
    await page.locator('#upload:focus').waitFor()
  })
})

nightly('a recording opened with the app waits for review', async () => {
  await site.empty()
  const page = await site.visit('/about', { as: member })
  // Stands in for the launchQueue that an installed app gets from the system.
  await page.addInitScript(() => {
    const setConsumer = (consumer: unknown) => Object.assign(window, { opened: consumer })
    Object.defineProperty(window, 'launchQueue', { value: { setConsumer } })
  })
  await page.goto(`${site.url}/about`)
  await page.waitForFunction(() => 'opened' in window)
  const recording = mp3('2026-11-22_John-Smith"Opened".mp3', { bytes: 300_000 })
  // The first launch opens the page itself; the next one is delivered to the open window.
  await openWith(page, [])
  await openWith(page, [recording])
  await page.waitForURL(`${site.url}/teaching?focus=upload`)
  const panel = uploadPanel(page)
  await panel.getByText('Shared from another app. Check the details, then send it.').waitFor()
  await comesTo(() => panel.getByLabel('Title').inputValue(), 'Opened')
  expect(await site.list()).toEqual([])
  await panel.getByRole('button', { name: 'Send it' }).click()
  await seeToast(page, 'File upload successful', 'Opened')
  await hasBytes(site.url, (await site.list())[0]!, recording)

  await openWith(page, [{ name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }])
  await seeToast(page, 'Invalid File Type', 'Please select an audio file')
})

/** Writes files to the browser's private file system and delivers their handles as a launch of the app does. */
async function openWith(page: Page, files: readonly RecordingFile[]): Promise<void> {
  await page.evaluate(
    async (given) => {
      const folder = await navigator.storage.getDirectory()
      const handles = await Promise.all(
        given.map(async ({ name, text }) => {
          const handle = await folder.getFileHandle(name, { create: true })
          const stream = await handle.createWritable()
          await stream.write(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
          await stream.close()
          return handle
        }),
      )
      const { opened } = window as unknown as {
        opened: (start: { targetURL: string; files: FileSystemFileHandle[] }) => void
      }
      opened({ targetURL: new URL('/teaching?focus=upload', location.href).href, files: handles })
    },
    files.map(({ name, buffer }) => ({ name, text: buffer.toString('base64') })),
  )
}

nightly('holds beforeinstallprompt until the button is pressed', async () => {
  const page = await site.visit('/about')
  await synced(page)
  await page.evaluate(() => {
    const question = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: () => {
        document.title = 'asked'
        return Promise.resolve({ outcome: 'accepted' })
      },
    })
    dispatchEvent(question)
    if (!question.defaultPrevented) throw new Error('not held')
  })
  const install = page.getByRole('button', { name: 'Install this app' })
  await install.click()
  expect(await page.title()).toBe('asked')
  await install.waitFor({ state: 'detached' })
})

nightly('an iPhone shows written install steps', async () => {
  await site.empty()
  await site.add(mp3('a.mp3'), { title: 'Living hope', speaker: 'Jane Doe', date: '2026-11-08' })
  const page = await site.visit('/teaching', {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await synced(page)
  await page.getByRole('button', { name: 'Add to your Home Screen' }).click()
  const steps = page.getByRole('dialog', { name: 'Add it to your Home Screen' })
  await steps.getByText(/Open it once while you have signal/).waitFor()
  await steps.getByRole('button', { name: 'Done' }).click()
  await row(page, 'Living hope')
    .getByRole('button', { name: /^Save offline/ })
    .click()
  const advice = page.getByRole('dialog', { name: 'Put it on your Home Screen first' })
  await advice.getByRole('button', { name: 'Save here all the same' }).click()
  await seeState(page, 'Living hope', 'Saved')
})
