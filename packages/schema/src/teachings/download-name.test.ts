import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { contentDisposition, downloadName } from './download-name.ts'

const teaching = { title: 'Hope in Christ', speaker: 'John Smith', date: '2026-11-22' }
const named = (changed: Partial<typeof teaching> & { scriptureReference?: string | null }) =>
  downloadName({ ...teaching, ...changed }, 'mp3')

describe('removes characters from the name', () => {
  test.each([
    ['../../etc/passwd', 'etcpasswd_John_Smith_20261122.mp3'],
    ['.hidden', 'hidden_John_Smith_20261122.mp3'],
    ['a\u0000\r\n"b"; c', 'a_b_c_John_Smith_20261122.mp3'],
    ['Who is Jesus?', 'Who_is_Jesus_John_Smith_20261122.mp3'],
    ['God’s “love” – part 2', 'Gods_love_part_2_John_Smith_20261122.mp3'],
    ['Joy 😀', 'Joy_John_Smith_20261122.mp3'],
    ['\u202ehope', 'hope_John_Smith_20261122.mp3'],
    ['???', 'John_Smith_20261122.mp3'],
  ])('title %j', (title, name) => {
    expect(named({ title })).toBe(name)
  })

  test('a teaching without any text still has a name', () => {
    expect(named({ title: '', speaker: '?', date: '' })).toBe('teaching.mp3')
  })
})

describe('joins title, speaker, date and extension', () => {
  test.each([
    [{}, 'Hope_in_Christ_John_Smith_20261122.mp3'],
    [{ title: 'Hope_in_Christ' }, 'Hope_in_Christ_John_Smith_20261122.mp3'],
    [{ title: 'Part-2 v1.0' }, 'Part-2_v1.0_John_Smith_20261122.mp3'],
    [{ speaker: "Pat O'Brien" }, 'Hope_in_Christ_Pat_OBrien_20261122.mp3'],
    [{ title: 'x'.repeat(51) }, `${'x'.repeat(50)}_John_Smith_20261122.mp3`],
    [{ speaker: 'ā'.repeat(51) }, `Hope_in_Christ_${'ā'.repeat(50)}_20261122.mp3`],
    [{ title: 'Māori mission', speaker: 'Wiremu Pu\u0304riri' }, 'Māori_mission_Wiremu_Pūriri_20261122.mp3'],
    [{ title: '盼望', speaker: '王小明' }, '盼望_王小明_20261122.mp3'],
    [{ title: '', scriptureReference: 'Romans 8:28-39' }, 'Romans_8.28-39_John_Smith_20261122.mp3'],
    [{ scriptureReference: 'Romans 8' }, 'Hope_in_Christ_John_Smith_20261122.mp3'],
  ])('%j', (changed, name) => {
    expect(named(changed)).toBe(name)
  })

  test('uses the extension of the recording', () => {
    expect(downloadName(teaching, 'wav')).toBe('Hope_in_Christ_John_Smith_20261122.wav')
    expect(downloadName(teaching, 'm4a')).toBe('Hope_in_Christ_John_Smith_20261122.m4a')
  })
})

describe('Content-Disposition', () => {
  test.each([
    ['Hope_20261122.mp3', `attachment; filename="Hope_20261122.mp3"; filename*=UTF-8''Hope_20261122.mp3`],
    ['Māori.mp3', `attachment; filename="Maori.mp3"; filename*=UTF-8''M%C4%81ori.mp3`],
    ['盼望.mp3', `attachment; filename="__.mp3"; filename*=UTF-8''%E7%9B%BC%E6%9C%9B.mp3`],
    [`a"b\\c%41.mp3`, `attachment; filename="a_b_c_41.mp3"; filename*=UTF-8''a%22b%5Cc%2541.mp3`],
    ["it's (1)*.mp3", `attachment; filename="it's (1)*.mp3"; filename*=UTF-8''it%27s%20%281%29%2A.mp3`],
    [
      'a\r\nSet-Cookie: b.mp3',
      `attachment; filename="aSet-Cookie: b.mp3"; filename*=UTF-8''aSet-Cookie%3A%20b.mp3`,
    ],
    ['a\ud800b.mp3', `attachment; filename="a_b.mp3"; filename*=UTF-8''a%EF%BF%BDb.mp3`],
  ])('%j', (name, header) => {
    expect(contentDisposition(name)).toBe(header)
  })

  test('every name gives a header that decodes to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        const header = contentDisposition(name)
        expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header)
        expect(header).toMatch(
          /^attachment; filename="[\u0020-\u007e]*"; filename\*=UTF-8''[\w!#$&+\-.^`|~%]*$/,
        )
        const encoded = header.slice(header.lastIndexOf("''") + 2)
        expect(decodeURIComponent(encoded)).toBe(name.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd'))
      }),
      { seed: 6266, numRuns: 500 },
    )
  })
})
