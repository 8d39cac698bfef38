import { church } from '@fellowship/schema/church'
import { siteTexts as texts } from '@fellowship/schema/site/site.texts'
import { beforeEach, expect, test } from 'vitest'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'
import { exportSite, importSite } from './site-file.ts'
import { refreshSite } from './site.ts'

const { context } = await testApp()
const { sql } = context
const keeper = { id: null, name: 'the keeper' }
const take = (file: unknown) =>
  importSite(context, typeof file === 'string' ? file : JSON.stringify(file), keeper)

beforeEach(async () => {
  await sql`delete from visit_details`
  await sql`delete from audit_log`
  await refreshSite(context)
})

const picture = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`

test.each<[string, unknown, string]>([
  ['no JSON', '{', 'It is not JSON'],
  ['a list', [], 'Expected object'],
  ['an unknown field', { motto: 'Hope' }, "Unrecognized key(s) in object: 'motto'"],
  [
    'two wrong fields',
    { accent: 'red', services: [{ weekday: 'Sunday' }] },
    `services.0.time: Required\nservices.0.words: Required\naccent: ${texts.accentInvalid}`,
  ],
  ['an address as picture', { logo: '/etc/passwd' }, texts.pictureData],
  [
    'a script as logo',
    { logo: picture('svg+xml', Buffer.from('<svg><script/></svg>')) },
    `logo: ${texts.logoForeign}`,
  ],
])('refuses %s, and changes nothing', async (_, file, sentence) => {
  await expect(take(file)).rejects.toThrow(sentence)
  expect(await sql`select from visit_details`).toHaveLength(0)
})

test('an export has all fields, and importing it changes nothing', async () => {
  const file = {
    name: 'Grace Church',
    services: [],
    map: null,
    sftpWindow: { weekday: 'Friday', from: '20:00', to: '21:00' },
    logo: picture('png', plainPng(40, 40)),
    hero: picture('png', plainPng(900, 300)),
  }
  expect((await take(file)).toSorted()).toEqual(Object.keys(file).toSorted())
  expect(church()).toMatchObject({ name: 'Grace Church', services: [], map: null })
  const exported = await exportSite(context)
  const { rev, links: _, ...fields } = church() as ReturnType<typeof church> & { links?: unknown }
  expect(Object.keys(JSON.parse(exported) as object).toSorted()).toEqual(Object.keys(fields).toSorted())
  expect(await take(exported)).toEqual([])
  expect(church().rev).toBe(rev)
  expect(await take({ logo: null, hero: null })).toEqual(['logo', 'hero'])
  expect([church().logo, church().hero]).toEqual([null, null])
  const [entry] = await sql<{ actor: string }[]>`select actor from audit_log where action = 'site.updated'`
  expect(entry!.actor).toBe('the keeper')
})
