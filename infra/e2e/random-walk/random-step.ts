import path from 'node:path'
import type { BrowserContext, ElementHandle, Page } from 'playwright-core'
import type { Random } from '@fellowship/sync/testing/random'

/** One person's tabs, with the steps done in them. */
export interface Walk {
  readonly random: Random
  readonly context: BrowserContext
  readonly pages: Page[]
  /** The tab in front. */
  page: Page
  readonly url: string
  /** Window widths to change between. */
  readonly widths: readonly number[]
  /** The steps done, first to last. */
  readonly log: string[]
  /** The step at which the connection comes back; undefined while there is one. */
  offlineUntil: number | undefined
  /** The step at which the killed server is started again; undefined while it runs. */
  serverGoneUntil: number | undefined
  killServer(): Promise<void>
  startServer(): Promise<void>
  /** The path of a recording that the server has not got. */
  nextFile(): string
  openTab(address: string): Promise<Page>
}

const addresses = [
  '/',
  '/about',
  '/teaching',
  '/teaching?show=saved',
  '/teaching?show=new',
  '/teaching?q=grace',
  '/teaching?year=2025&book=psalms&speaker=x',
  '/teaching?focus=upload',
  '/teaching?focus=upload',
  '/listening',
  '/speakers',
  '/speakers/jane-doe',
  '/books',
  '/books/psalms',
  '/browse',
  '/series',
  '/admin',
  '/admin?tab=system',
  '/admin?tab=sftp',
  '/manage',
  '/reset-password',
  '/verify-email',
  '/nowhere',
]

const words = [
  'grace',
  'ps 23',
  '2025',
  'Jäne',
  '   ',
  'a'.repeat(300),
  '<b>x</b>',
  '🙂 kāhui',
  "O'Brien",
  '2025-13-40',
  '-1',
  'me@example.org',
  'John 3:16',
  '9999999999',
]

const keys = [
  'Escape',
  'Enter',
  'Tab',
  'Tab',
  'ArrowDown',
  'ArrowUp',
  'Home',
  'End',
  'Space',
  '/',
  '?',
  'k',
  'j',
]

/** Steps other than presses, in per cent of all. */
const otherSteps: readonly (readonly [percent: number, step: (walk: Walk) => Promise<void>])[] = [
  [3, goElsewhere],
  [2, reload],
  [3, goBack],
  [1, goForward],
  [4, pressKey],
  [2, loseConnection],
  [1, loseServer],
  [4, chooseFile],
  [2, changeWidth],
  [2, openTab],
  [2, changeTab],
]

/** Does one thing at random, as a person might: mostly presses a control or types into a field. */
export async function randomStep(walk: Walk): Promise<void> {
  const { log, random } = walk
  if (walk.offlineUntil !== undefined && log.length >= walk.offlineUntil) return findConnection(walk)
  if (walk.serverGoneUntil !== undefined && log.length >= walk.serverGoneUntil) return findServer(walk)
  // Without an answer the browser shows a page of its own for an address that is not the app's.
  if (!walk.page.url().startsWith(walk.url)) {
    await findConnection(walk)
    await findServer(walk)
    return open(walk, '/')
  }
  let at = random.int(100)
  for (const [percent, step] of otherSteps) {
    if (at < percent) return step(walk)
    at -= percent
  }
  return pressOrType(walk)
}

async function open(walk: Walk, address: string): Promise<void> {
  walk.log.push(`open ${address}`)
  await walk.page.goto(walk.url + address)
}

function goElsewhere(walk: Walk): Promise<void> {
  return open(walk, walk.random.pick(addresses))
}

async function reload({ log, page }: Walk): Promise<void> {
  log.push('reload')
  await page.reload()
}

async function goBack({ log, page }: Walk): Promise<void> {
  log.push('back')
  await page.goBack()
}

async function goForward({ log, page }: Walk): Promise<void> {
  log.push('forward')
  await page.goForward()
}

async function pressKey({ log, page, random }: Walk): Promise<void> {
  const key = random.pick(keys)
  log.push(`key ${key}`)
  await page.keyboard.press(key)
}

async function loseConnection(walk: Walk): Promise<void> {
  walk.log.push('the connection is lost')
  walk.offlineUntil = walk.log.length + 5 + walk.random.int(25)
  await walk.context.setOffline(true)
}

export async function findConnection(walk: Walk): Promise<void> {
  if (walk.offlineUntil === undefined) return
  walk.offlineUntil = undefined
  walk.log.push('the connection is back')
  await walk.context.setOffline(false)
}

async function loseServer(walk: Walk): Promise<void> {
  if (walk.serverGoneUntil !== undefined) return
  walk.log.push('the server is killed')
  walk.serverGoneUntil = walk.log.length + 3 + walk.random.int(20)
  await walk.killServer()
}

export async function findServer(walk: Walk): Promise<void> {
  if (walk.serverGoneUntil === undefined) return
  walk.serverGoneUntil = undefined
  walk.log.push('the server is started again')
  await walk.startServer()
}

/** Chooses a recording to upload, and mostly goes on with it. */
async function chooseFile(walk: Walk): Promise<void> {
  const { log, page, random } = walk
  const input = page.locator('input[type="file"][accept*="audio"]').first()
  if ((await input.count()) === 0) return
  const file = walk.nextFile()
  log.push(`choose ${path.basename(file)}`)
  await input.setInputFiles(file, shortTimeout)
  if (random.chance(0.7))
    await page.getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ }).click(shortTimeout)
}

async function changeWidth({ log, page, random, widths }: Walk): Promise<void> {
  const size = { width: random.pick(widths), height: random.pick([400, 740, 800]) }
  log.push(`window ${size.width} × ${size.height}`)
  await page.setViewportSize(size)
}

async function openTab(walk: Walk): Promise<void> {
  if (walk.pages.length >= 3) return
  const address = walk.random.pick(addresses)
  walk.log.push(`new tab ${address}`)
  walk.page = await walk.openTab(address)
  walk.pages.push(walk.page)
}

async function changeTab(walk: Walk): Promise<void> {
  if (walk.pages.length === 1) return
  if (walk.random.chance(0.3)) {
    walk.log.push('close the tab')
    walk.pages.splice(walk.pages.indexOf(walk.page), 1)
    await walk.page.close()
  }
  walk.page = walk.random.pick(walk.pages)
  walk.log.push(`tab of ${walk.page.url().replace(walk.url, '')}`)
  await walk.page.bringToFront()
}

const usable =
  'a[href], button, input, textarea, select, summary, label, ' +
  '[role="menuitem"], [role="option"], [role="tab"], [role="switch"], [role="slider"]'

async function pressOrType(walk: Walk): Promise<void> {
  const { log, random } = walk
  const element = await anyUsable(walk)
  if (!element) return
  const { tag, type, name, href } = await element.evaluate((one) => ({
    tag: one.tagName,
    type: (one as HTMLInputElement).type,
    name: (one.getAttribute('aria-label') ?? ((one as HTMLElement).innerText || one.id))
      .slice(0, 60)
      .replaceAll(/\s+/g, ' '),
    href: (one as HTMLAnchorElement).href as string | undefined,
  }))
  if (href !== undefined && !href.startsWith(walk.url)) return
  // Rarely, since a walk signed out sees little.
  if (/sign out/i.test(name) && random.chance(0.8)) return
  if (tag === 'SELECT') {
    log.push(`choose in "${name}"`)
    const count = await element.evaluate((one) => (one as HTMLSelectElement).options.length)
    await element.selectOption({ index: random.int(count) }, shortTimeout)
  } else if (tag === 'TEXTAREA' || (tag === 'INPUT' && !pressedInputs.includes(type))) {
    const text = textFor(type, random)
    log.push(`type into ${type} "${name}": ${text.slice(0, 20)}`)
    await element.fill(text, shortTimeout)
    if (random.chance(0.3)) await walk.page.keyboard.press('Enter')
  } else {
    log.push(`press ${tag.toLowerCase()} "${name}"`)
    await element.click(shortTimeout)
  }
}

/** An element that is gone is not waited for. */
const shortTimeout = { timeout: 3_000 }
const pressedInputs = ['checkbox', 'radio', 'file', 'range', 'submit', 'button']

function textFor(type: string, random: Random): string {
  if (type === 'date') return random.pick(['2025-03-02', '1999-12-31', '2031-01-01', ''])
  if (type === 'time') return '10:30'
  if (type === 'number') return random.pick(['3', '-1', '99999'])
  return random.pick(words)
}

/** Something that can be seen and used; undefined if 25 tries find none. */
async function anyUsable({
  page,
  random,
}: Walk): Promise<ElementHandle<HTMLElement | SVGElement> | undefined> {
  const all = await page.$$(usable)
  for (let tries = 0; tries < 25 && all.length > 0; tries++) {
    const element = random.pick(all)
    if (await element.evaluate(isUsable)) return element
  }
  return undefined
}

function isUsable(element: Element): boolean {
  element.scrollIntoView({ block: 'nearest', behavior: 'instant' })
  const { x, y, width, height } = element.getBoundingClientRect()
  if (width < 2 || height < 2 || element.matches(':disabled, [aria-disabled="true"]')) return false
  // Elements beneath a dialog, a bar or a label are excluded.
  const hit = document.elementFromPoint(x + width / 2, y + height / 2)
  return hit !== null && (element.contains(hit) || hit.contains(element))
}
