import { writeFile } from 'node:fs/promises'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { seededRandom } from '@fellowship/sync/testing/random'
import { expect, test } from 'vitest'
import { inSoak } from '../support/in-soak.ts'
import { journey } from '../support/journey.ts'
import { evict, save, synced } from '../support/offline-steps.ts'
import { administrator, member } from '../support/people.ts'
import { add, settle, steps, type Device } from './said-steps.ts'
import { untruths } from './untruths.ts'

/** The seed of the walk, another one each night. It repeats the steps; how far the page is at each depends on the machine. */
const seed = Number(process.env['SAID_SEED'] ?? (inSoak ? Math.floor(Date.now() / 1_000) : 1))
const count = Number(process.env['SAID_STEPS'] ?? (inSoak ? 300 : 12))

const site = journey()
const people = [member, administrator]
const firstName = ({ name }: { name: string }) => name.split(' ', 1)[0]!

test('reports what is not so', async () => {
  const teaching = await add(site, 'Joy')
  const page = await site.visit('/teaching', { as: member, allow: [/./] })
  await synced(page)
  await save(page, 'Joy')
  const outside = { isReachable: true, userId: undefined, others: [], faulty: [] }
  const look = async () => untruths(page, { ...outside, teachings: await site.list() })
  await expect.poll(look).toEqual([])
  await evict(page, teaching)
  expect(await look()).toEqual(['Saved (1), but 0 are whole', '"Joy" is Saved, but not whole'])
  const [first, ...rest] = await site.list()
  const late = await untruths(page, { ...outside, teachings: [{ ...first!, rev: first!.rev + 1 }, ...rest] })
  expect(late).toContainEqual(expect.stringMatching(/^Up to date, .*, but 2 rows differ$/))
  await page.context().setOffline(true)
  await page
    .getByText(/^Offline\./)
    .first()
    .waitFor()
  expect(await look()).toContainEqual(expect.stringMatching(/^"Offline\. .*", but the server answers$/))
})

test(
  `says on a device of two people what is so, from seed ${seed}`,
  { timeout: 60_000 + count * 20_000 },
  async () => {
    for (const title of ['Grace', 'Hope', 'Peace']) await add(site, title)
    const ids = new Map<unknown, number>()
    for (const person of people)
      ids.set(person, (await call(auth.currentUser, {}, await site.session(person))).user!.id)
    const page = await site.visit('/teaching', { as: member, allow: [/./] })
    await synced(page)
    const random = seededRandom(seed)
    const device: Device = {
      site,
      random,
      context: page.context(),
      page,
      person: member,
      isOnline: true,
      failing: new Set(),
      faulty: [],
      made: 0,
    }
    const done: string[] = []
    const look = async () => {
      const outside = {
        teachings: await site.list(),
        isReachable: device.isOnline && device.failing.size === 0,
        userId: ids.get(device.person),
        others: people.filter((person) => person !== device.person).map(firstName),
        faulty: device.faulty,
      }
      // A page that is being left has nothing to tell.
      return untruths(device.page, outside).catch((error: Error) => [error.message.split('\n', 1)[0]!])
    }
    for (let at = 0; at < count; at++) {
      const name = random.pick(Object.keys(steps))
      done.push(name)
      // A person does not reload this often. If interrupted requests were counted, they would hold back the next ones.
      await device.page.evaluate(() => localStorage.removeItem('sent-requests')).catch(() => undefined)
      await steps[name]!(device).catch((error: Error) =>
        done.push(`  not done: ${error.message.split('\n', 1)[0]}`),
      )
      // Closes what a step left open.
      await device.page.keyboard.press('Escape')
      await expect.poll(look, { timeout: 20_000, message: done.join('\n') }).toEqual([])
    }
    const log = process.env['SAID_LOG']
    if (log !== undefined) await writeFile(log, done.join('\n'))
    await settle(device)
    await expect.poll(look, { timeout: 60_000, message: done.join('\n') }).toEqual([])
  },
)
