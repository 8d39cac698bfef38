import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fixture } from '../../testing/multipart.ts'
import { dateOf, readCsv } from './source-csv.ts'
import { openFileIn, readFolder } from './source-folder.ts'
import { stringsOf } from './source-wxr.ts'
import { readSource } from './sources.ts'

const meta = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`,
    )
    .join('')

interface Post {
  type?: string
  status?: string
  id?: number
  terms?: Record<string, string>
  meta?: Record<string, string>
  more?: string
}

const post = ({
  type = 'wpfc_sermon',
  status = 'publish',
  id = 7,
  terms = {},
  meta: fields = {},
  more = '',
}: Post) =>
  `<item><title><![CDATA[God&#8217;s grace]]></title><link>https://old.example/sermons/grace/</link>
  <guid isPermaLink="false">https://old.example/?p=${id}</guid><dc:creator><![CDATA[webmaster]]></dc:creator>
  <wp:post_id>${id}</wp:post_id><wp:post_date>2020-11-22 10:00:00</wp:post_date><wp:status>${status}</wp:status>
  <wp:post_type>${type}</wp:post_type>${Object.entries(terms)
    .map(([domain, name]) => `<category domain="${domain}" nicename="x"><![CDATA[${name}]]></category>`)
    .join('')}${meta(fields)}${more}</item>`

const exported = async (...posts: string[]) => {
  const document = `<rss version="2.0"><channel><title>Old</title><link>https://old.example</link>
    <wp:wxr_version>1.2</wp:wxr_version><wp:author><wp:author_email>sam@example.org</wp:author_email></wp:author>
    ${posts.join('')}</channel></rss>`
  const { items } = await readSource({ kind: 'file', source: 'export.xml', document }, {}, undefined as never)
  return items
}

describe('exports of WordPress', () => {
  test('drafts, protected posts and pages are left out', async () => {
    const audio = { sermon_audio: 'https://old.example/1.mp3' }
    const left = [
      post({ status: 'draft', meta: audio }),
      post({ status: 'private', meta: audio }),
      post({ meta: audio, more: '<wp:post_password>secret</wp:post_password>' }),
      post({ type: 'page', meta: audio }),
      post({ type: 'post', meta: audio }),
    ]
    await expect(exported(...left)).rejects.toThrow(/no items/)
  })

  test('Sermon Manager: taxonomies, a date in seconds, an attachment', async () => {
    const [item] = await exported(
      post({
        terms: { wpfc_preacher: 'Tom Harris', wpfc_sermon_series: 'Romans', wpfc_bible_book: 'Romans' },
        meta: {
          sermon_date: String(Date.UTC(2020, 10, 21, 21) / 1000),
          sermon_audio_id: '8',
          bible_passage: 'Rom 8:28-39',
          sermon_description: '<p>Good &amp; sure</p>',
        },
      }),
      `<item><title>file</title><wp:post_id>8</wp:post_id><wp:post_type>attachment</wp:post_type>
       <wp:status>inherit</wp:status><wp:attachment_url>/files/1.mp3</wp:attachment_url></item>`,
    )
    expect(item).toMatchObject({
      guid: 'https://old.example/?p=7',
      title: 'God’s grace',
      speaker: 'Tom Harris',
      date: '2020-11-22',
      scripture: 'Romans 8:28-39',
      description: 'Good & sure',
      series: 'Romans',
      audio: 'https://old.example/files/1.mp3',
      pages: ['https://old.example/sermons/grace/', 'https://old.example/?p=7'],
    })
  })

  test('Church Content: the day of the post, fields with underscores', async () => {
    const [item] = await exported(
      post({
        type: 'ctc_sermon',
        terms: { ctc_sermon_speaker: 'Ann Lee', ctc_sermon_series: 'Hope', ctc_sermon_book: 'Ruth' },
        meta: { _ctc_sermon_audio: 'https://old.example/2.mp3' },
      }),
    )
    expect(item).toMatchObject({ speaker: 'Ann Lee', date: '2020-11-22', scripture: 'Ruth', series: 'Hope' })
  })

  test('cp-library: serialised addresses and speakers', async () => {
    const address = 'https://old.example/ä"3.mp3'
    const [item] = await exported(
      post({
        type: 'cpl_item',
        meta: {
          audio_url: `a:1:{s:3:"url";s:${Buffer.byteLength(address)}:"${address}";}`,
          cpl_speaker: 'a:1:{i:0;s:2:"50";}',
        },
      }),
      `<item><title>Ruth Young</title><wp:post_id>50</wp:post_id><wp:post_type>cpl_speaker</wp:post_type>
       <wp:status>publish</wp:status></item>`,
    )
    expect(item).toMatchObject({ speaker: 'Ruth Young', audio: new URL(address).href })
  })

  test('a post with an enclosed recording is an episode', async () => {
    const enclosure = 'https://old.example/4.mp3\n123\naudio/mpeg\na:1:{s:8:"duration";s:5:"12:34";}'
    const [item] = await exported(post({ type: 'post', meta: { enclosure } }))
    expect(item).toMatchObject({ audio: 'https://old.example/4.mp3', speaker: '' })
  })

  test('an author’s login is no speaker', async () => {
    const [item] = await exported(post({ meta: { sermon_audio: 'https://old.example/1.mp3' } }))
    expect(item!.speaker).toBe('')
    expect(JSON.stringify(item)).not.toMatch(/webmaster|sam@example/)
  })

  test.each([
    ['', []],
    ['plain', ['plain']],
    ['s:4:"a"b;";', ['a"b;']],
    ['a:2:{i:0;s:1:"x";s:1:"k";i:5;}', ['x', '5']],
    ['a:1:{s:999999:"x";}', expect.any(Array)],
  ])('reads the strings of %s', (value, strings) => {
    expect(stringsOf(value)).toEqual(strings)
  })
})

const table = (text: string, answers = {}) => readCsv(text, answers, '')

describe('tables', () => {
  test('columns are guessed by their names', () => {
    const { items, guessed, askDateOrder } = table(
      'Preacher;Sermon Title;Date;MP3 URL\nTom;"Grace; and truth";22/11/2020;https://a.example/1.mp3\n',
    )
    expect(guessed).toEqual({ speaker: 'Preacher', title: 'Sermon Title', date: 'Date', audio: 'MP3 URL' })
    expect(items[0]).toMatchObject({ title: 'Grace; and truth', date: '2020-11-22', speaker: 'Tom' })
    expect(askDateOrder).toBe(false)
  })

  test('dates that fit both orders are asked about', () => {
    const text = 'title,date,file\nA,03/04/2020,a.mp3\nB,05/06/2020,b.mp3\n'
    expect(table(text)).toMatchObject({ askDateOrder: true })
    expect(table(text).items.map(({ date }) => date)).toEqual(['2020-04-03', '2020-06-05'])
    const month = table(text, { dateOrder: 'month' })
    expect(month).toMatchObject({ askDateOrder: false })
    expect(month.items[0]!.date).toBe('2020-03-04')
  })

  test('one date decides the order of the others', () => {
    const { items } = table('title,date,file\nA,03/04/2020,a.mp3\nB,05/26/2020,b.mp3\n')
    expect(items.map(({ date }) => date)).toEqual(['2020-03-04', '2020-05-26'])
  })

  test('a table without a header is read by its contents', () => {
    const { items, guessed } = table('2020-11-22,a.mp3,Grace\n2020-11-29,b.mp3,Truth\n')
    expect(guessed).toEqual({ date: 'Column 1', audio: 'Column 2' })
    expect(items).toHaveLength(2)
  })

  test('chosen columns replace guesses', () => {
    const { items } = table('a,b,c\nGrace,Tom,2020-11-22\n', {
      columns: { title: 'a', speaker: 'b', date: 'c' },
    })
    expect(items[0]).toMatchObject({ title: 'Grace', speaker: 'Tom', date: '2020-11-22' })
  })

  test('an open quotation mark is refused', () => {
    expect(() => table('title,date\n"Grace,2020-11-22\n')).toThrow(/quotation mark/)
  })

  test.each([
    ['22 Nov 2020', '2020-11-22'],
    ['Sunday, November 22nd, 2020', '2020-11-22'],
    ['44157', '2020-11-22'],
    ['22.11.20', '2020-11-22'],
    ['31/02/2020', ''],
    ['soon', ''],
  ])('reads the date %s', (text, date) => {
    expect(dateOf(text, 'day')).toBe(date)
  })
})

describe('folders', () => {
  async function folder() {
    const root = await mkdtemp(path.join(tmpdir(), 'import-folder-'))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    await mkdir(path.join(root, 'Romans'))
    const bytes = await fixture('cbr.mp3')
    await writeFile(path.join(root, 'Romans', '2020-11-22_Tom-Harris"Grace"_Romans_8.mp3'), bytes)
    await writeFile(path.join(root, '20201129 Morning hope.mp3'), bytes)
    await writeFile(path.join(root, 'notes.txt'), 'notes')
    await symlink('/etc/passwd', path.join(root, 'link.mp3'))
    return root
  }

  test('names and folders describe recordings', async () => {
    const { items } = await readFolder(await folder(), {})
    expect(items.map(({ title, speaker, date, series }) => [title, speaker, date, series])).toEqual([
      ['Grace', 'Tom Harris', '2020-11-22', 'Romans'],
      ['Morning hope', '', '2020-11-29', ''],
    ])
  })

  test('a table in a folder describes its recordings', async () => {
    const root = await folder()
    await writeFile(
      path.join(root, 'all.csv'),
      'title,speaker,date,file\nHope,Ann,2020-11-29,20201129 Morning hope.mp3\nGone,Ann,2020-12-06,gone.mp3\n',
    )
    const { items } = await readFolder(root, {})
    expect(items.map(({ title, audio }) => [title, audio])).toEqual([
      ['Hope', '20201129 Morning hope.mp3'],
      ['Gone', 'gone.mp3'],
    ])
  })

  test('names as a Mac writes them are those of the table', async () => {
    const root = await folder()
    const name = 'José.mp3'.normalize('NFD')
    await writeFile(path.join(root, name), await fixture('cbr.mp3'))
    await writeFile(
      path.join(root, 'all.csv'),
      `title,speaker,date,file\nHope,Ann,2020-11-29,${'José.mp3'.normalize('NFC')}\nJoy,Ann,2020-12-06,${name}\n`,
    )
    const { items } = await readFolder(root, {})
    for (const { audio, bytes } of items) {
      let length = 0
      for await (const part of await openFileIn(root, audio)) length += (part as Buffer).length
      expect(length).toBe(bytes)
    }
    expect(items).toHaveLength(2)
  })

  test('no name leads out of the folder', async () => {
    const root = await folder()
    for (const name of ['../../etc/passwd', '/etc/passwd', 'link.mp3'])
      await expect(openFileIn(root, name)).rejects.toThrow(/no file/)
  })
})
