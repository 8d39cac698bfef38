import { describe, expect, test } from 'vitest'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { site } from '@fellowship/schema/site/site.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { addressOf, call } from '@fellowship/sync/call/call'
import {
  asThemselves,
  badChapters,
  blank,
  controls,
  refusalRecorder,
  line,
  long,
  missing,
  type Bad,
} from '../../testing/bad-input.ts'
import { everything } from '../../testing/everything.ts'
import { fixture } from '../../testing/multipart.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const elderFields = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
const elder = await call(elders.create, { body: elderFields }, admin)
const teachingFields = { title: 'Hope', speaker: 'Ana', date: '2026-11-22', scriptureReference: 'John 3:16' }
const { uid } = await call(series.create, { body: { title: 'Hope' } as never }, admin)
const mp3 = await fixture('cbr.mp3')
const recording = fileOf(mp3, '2026-11-22_Ana-Smith"Hope".mp3')
const files = { audioFile: recording }
const { teaching } = await call(uploads.smartUpload, { body: teachingFields, files }, admin)

function fileOf(bytes: Uint8Array | string, name: string): File {
  return new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name)
}

const day: Bad[] = [
  ...blank,
  ...asThemselves('2026-02-30', '2026-13-01', '22/11/2026', '2026-1-1', '0000-00-00', '2026-11-22T10:00'),
]
describe('refuses bad input of each form with a file, with a sentence, and changes nothing', () => {
  test.each([
    ['the photo of an elder', elders.photo, 'photo', { id: elder.id }],
    ['the picture of a series', series.picture, 'picture', { uid }],
    ['a picture of the site', site.picture, 'picture', { which: 'hero' }],
  ] as const)('%s', async (_, endpoint, part, params) => {
    const png = plainPng(1000, 1250)
    const photos: Record<string, File> = {
      nothing: fileOf('', 'a.png'),
      'a drawing': fileOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.svg'),
      'a drawing by another name': fileOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png'),
      'a GIF': fileOf(Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'), 'a.gif'),
      'a bitmap': fileOf(Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]), 'a.bmp'),
      'a TIFF': fileOf(Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(100)]), 'a.tif'),
      'a HEIC': fileOf('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'a.heic'),
      'a PDF': fileOf('%PDF-1.7\n%%EOF', 'a.png'),
      'a page': fileOf('<!doctype html><script>alert(1)</script>', 'a.jpg'),
      'a program': fileOf(Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(100)]), 'a.jpg'),
      'an archive': fileOf('PK\x03\x04', 'a.webp'),
      'a recording': fileOf(mp3, 'a.jpg'),
      'a name that leads elsewhere': fileOf('secret', '../../app-secret'),
      'a name with NUL': fileOf('x', 'a\u0000.png'),
      'a beginning alone': fileOf(png.subarray(0, 8), 'a.png'),
      'half a picture': fileOf(png.subarray(0, png.length >> 1), 'a.png'),
      'zeros for a picture': fileOf(Buffer.concat([png.subarray(0, 33), Buffer.alloc(200)]), 'a.png'),
      'too many pixels': fileOf(plainPng(9_000, 9_000), 'a.png'),
      '5MB': fileOf(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024 - png.length)]), 'a.png'),
    }
    const before = await everything(app)
    const { send, sent, wrong } = await refusalRecorder(admin, endpoint)
    const url = app.url + addressOf(endpoint, { params } as never)
    const codes = ['invalid_input', 'unsupported_media', 'too_large']
    for (const [what, photo] of Object.entries(photos))
      await send(what, url, { body: formOf({ [part]: photo }) }, codes)
    for (const [what, init] of Object.entries(notForms(fileOf(png, 'a.png'))))
      await send(what, url, init, codes)
    expect(wrong).toEqual({})
    expect(sent()).toBeGreaterThanOrEqual(20)
    expect(await everything(app)).toEqual(before)
  })

  test('refuses bad input of an edited sermon', async () => {
    const text = (bad: Bad[]) => bad.filter(([, value]) => typeof value === 'string' || value === undefined)
    const fields: Record<string, Bad[]> = {
      title: [...text(line(255)), missing],
      speaker: [...text(line(255)), missing],
      date: [...day, ...controls, long(51), missing],
      scriptureReference: [...controls, long(256)],
      description: [...controls, long(2001)],
      chapters: text(badChapters),
      uid: asThemselves('x', '1', '../x'),
      baseRev: asThemselves('x', '-1', '1.5', '1e300', 'NaN'),
    }
    expect(Object.keys(fields).sort()).toEqual(Object.keys(teachings.update.body.shape).sort())
    const recordings: Record<string, File> = {
      'an empty recording': fileOf('', 'a.mp3'),
      'a picture': fileOf(plainPng(10, 10), 'a.mp3'),
      'a page': fileOf('<!doctype html><script>alert(1)</script>', 'a.mp3'),
      'a recording of half a frame': fileOf(mp3.subarray(0, 100), 'a.mp3'),
      'a name that leads elsewhere': fileOf('secret', '../../app-secret.mp3'),
    }
    const before = await everything(app)
    const { send, sent, wrong } = await refusalRecorder(admin, teachings.update)
    const url = app.url + addressOf(teachings.update, { params: { id: teaching.id } })
    for (const [field, bad] of Object.entries(fields)) {
      for (const [what, value] of bad) {
        const body = formOf({ ...teachingFields, [field]: value as string, audioFile: recording })
        await send(`${field}: ${what}`, url, { body }, ['invalid_input'], field)
      }
    }
    const codes = ['unsupported_audio', 'invalid_input', 'unsupported_media']
    for (const [what, audioFile] of Object.entries(recordings)) {
      await send(what, url, { body: formOf({ ...teachingFields, audioFile }) }, codes)
    }
    for (const [what, init] of Object.entries(notForms(recording))) await send(what, url, init, codes)
    expect(wrong).toEqual({})
    expect(sent()).toBeGreaterThanOrEqual(20)
    expect(await everything(app)).toEqual(before)
  })
})

/** A form with these parts; `undefined` is left out. */
function formOf(parts: Record<string, string | File | undefined>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) form.append(name, value)
  return form
}

/** Bodies that are no form, or not the expected one. */
function notForms(file: File): Record<string, RequestInit> {
  const twice = formOf({ photo: file, audioFile: file })
  const crowded = formOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field${at}`, 'x'])))
  const typed = (type: string, body: string): RequestInit => ({ headers: { 'content-type': type }, body })
  return {
    'an empty form': { body: formOf({ nothing: '' }) },
    'a file by another name': { body: formOf({ image: file }) },
    'two files': { body: twice },
    'too many fields': { body: crowded },
    'a field that is too long': { body: formOf({ title: 'x'.repeat(70_000) }) },
    JSON: typed('application/json', '{}'),
    'a form of another kind': typed('application/x-www-form-urlencoded', 'photo=a'),
    'no boundary': typed('multipart/form-data', '--x--'),
    'a form that ends too early': typed(
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\nabc',
    ),
  }
}
