import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { site } from '@fellowship/schema/site/site.contract'
import { CallError } from '@fellowship/sync/call/call-error'
import { call, type Transport } from '@fellowship/sync/call/call'
import { cookieTransport } from './cookie-transport.ts'
import { applyEnvFile } from '@fellowship/api/config/env-file'

export const administrator = { email: 'admin@example.test', password: 'password-admin' }
export const sampleUser = { email: 'user@example.test', password: 'password-user' }

/**
 * Fills the empty library of a running product through its API. Leaves a library alone that has teachings, or whose
 * administrator has another password.
 */
export async function sampleContent(url: string): Promise<'filled' | 'left alone'> {
  const browser = cookieTransport(url)
  if ((await call(teachings.list, {}, browser)).length > 0) return 'left alone'
  try {
    await call(auth.login, { body: administrator }, browser)
  } catch (error) {
    if (error instanceof CallError) return 'left alone'
    throw error
  }
  const uids: string[] = []
  for (const [at, name] of sampleNames.entries()) uids.push(await upload(browser, name, at))
  for (const { places, ...words } of sampleSeries)
    await call(series.create, { body: { ...words, teachings: places.map((at) => uids[at]!) } }, browser)
  for (const [displayOrder, elder] of sampleElders.entries())
    await call(elders.create, { body: { ...elder, displayOrder, imageUrl: null } }, browser)
  await call(site.update, { body: sampleVisit }, browser)
  const visitor = cookieTransport(url)
  await call(auth.register, { body: { ...sampleUser, name: 'Sample User' } }, visitor).catch(() => {
    // The account exists already, or registration is closed.
  })
  return 'filled'
}

async function upload(browser: Transport, name: string, at: number): Promise<string> {
  const { parsedData } = await call(uploads.parseFilename, { body: { filename: name } }, browser)
  const file = new File([await sampleRecording(name, at)], name)
  const body = { ...textOf(parsedData), description: sampleDescriptions[at] }
  const { teaching } = await call(uploads.smartUpload, { body, files: { audioFile: file } }, browser)
  return teaching.uid
}

/** A fixture, made unique by an ID3v1 tag with a number in its title: duplicates are refused. */
async function sampleRecording(name: string, at: number): Promise<Uint8Array<ArrayBuffer>> {
  const fixture = { '.mp3': 'cbr.mp3', '.m4a': 'faststart.m4a', '.wav': 'speech.wav' }[path.extname(name)]!
  const bytes = await readFile(path.join(import.meta.dirname, 'fixtures', fixture))
  if (!name.endsWith('.mp3')) return new Uint8Array(bytes)
  const tag = Buffer.alloc(128)
  tag.write(`TAGSample ${at}`, 'latin1')
  return new Uint8Array(Buffer.concat([bytes, tag]))
}

/** Obviously sample content, without names of real people. */
const sampleNames = [
  '2026-11-15_Sample-Speaker"Sample: The good shepherd"_John_10_1-18.mp3',
  '2026-11-08_Sample-Speaker"Sample: Grace that teaches"_Titus_2_11-14.mp3',
  '2026-11-01_Second-Speaker"Sample: A living hope"_1-Peter_1_3-9.mp3',
  '2026-10-25_Second-Speaker"Sample: Nothing can separate us"_Romans_8_31-39.mp3',
  '2026-10-18_Sample-Speaker"Sample: The Lord is my light"_Psalm_27_1-6.m4a',
  '2026-10-11_Third-Speaker"Sample: In the beginning"_Genesis_1_26-2_3.mp3',
  '2026-10-04_Third-Speaker"Sample: Be still"_Psalm_46_1-11.wav',
  '2025-12-21_Sample-Speaker"Sample: Good news of great joy"_Luke_2_1-20.mp3',
  '2025-06-08_Second-Speaker"Sample: Power from on high"_Acts_2_1-21.mp3',
  '2024-03-31_Third-Speaker"Sample: He is risen"_Matthew_28_1-10.mp3',
] as const

/** By the places of their teachings in the list above. */
const sampleSeries = [
  {
    title: 'Sample series: Songs for hard days',
    description: 'Two psalms, for days on which nothing seems to hold.',
    places: [4, 6],
  },
  {
    title: 'Sample series: The life of Jesus',
    description: 'From his birth to the coming of the Spirit, in the order in which it happened.',
    places: [7, 0, 9, 8],
  },
]

/** Plainly sample people; without photos, as the drawn figure stands for one. */
const sampleElders = [
  {
    name: 'Sample Elder One',
    role: 'Elder',
    shortBio: 'A sample elder: looks after the teaching, and visits on Thursdays.',
    extendedBio:
      'This is a sample bio, to show how one looks. It says where somebody grew up, how they came to faith and what they care for.\n\nReferences open their passage: Acts 2:42.',
  },
  {
    name: 'Sample Elder Two',
    role: 'Elder',
    shortBio: 'A sample elder: farms up the valley, and leads the Wednesday study.',
    extendedBio:
      'This is a sample bio as well. Replace it in Administration, Content Management, where a photo can be added too.',
  },
  {
    name: 'Sample Elder Three',
    role: 'Teaching Elder',
    shortBio: 'A sample elder: teaches most Sundays, and is glad of a phone call.',
    extendedBio:
      'And a third one, so that the row is full: three to a row on a wide screen, one below the other on a phone.',
  },
]

const sampleVisit = {
  expect:
    'Sample: about an hour and a half, with songs, prayer and a teaching from the Bible. Come as you are; there is morning tea afterwards.',
  forChildren: 'Sample: children stay for the songs, then have their own program in the side room.',
  parking: 'Sample: behind the hall, and along the street. The front door has a ramp.',
  phone: '06 000 0000',
}

/** Of the first few; the others have none. */
const sampleDescriptions: readonly (string | undefined)[] = [
  'Sample: what it means to know the shepherd by his voice, for those who keep sheep and for those who do not.',
  undefined,
  'Sample: the first of three on 1 Peter.\n\nWhat hope is, where it comes from, and how it holds in a hard year.',
]

/** In `.env` these describe the real site, which sample content and sample accounts must not reach. */
const ofTheRealSite = [
  'DATA_DIR',
  'DATABASE_URL',
  'PUBLIC_URL',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'REGISTRATION',
  'APP_SECRET',
  'SMTP_URL',
  'BACKUP_DIR',
]

/**
 * The environment of a product with sample content: real variables, then the lines of `.env` about this machine, then a
 * folder of its own. An empty variable counts as absent, and keeps the server from reading it from the file.
 */
export function sampleSettings(root: string, dataDir: string): NodeJS.ProcessEnv {
  const settings = { ...process.env }
  for (const name of ofTheRealSite) settings[name] ??= ''
  for (const sentence of applyEnvFile(root, settings).warnings) console.error(sentence)
  return {
    ...settings,
    DATA_DIR: settings['DATA_DIR'] || path.join(root, dataDir),
    REGISTRATION: settings['REGISTRATION'] || 'open',
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
  }
}
