import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { handoutAddress } from '@fellowship/schema/handouts/handout-file'
import { handouts } from '@fellowship/schema/handouts/handouts.contract'
import { handoutLimits } from '@fellowship/schema/handouts/handouts.limits'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { recordingOf } from '../../testing/old-site.ts'
import { samplePdf } from '../../testing/sample-pdf.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'
import { exportLibrary } from './export-library.ts'
import { importWorker } from './import-worker.ts'
import { confirmImport, createImport, readImport, undoImport } from './imports.ts'
import { exportColumns, readCsv, writeCsv } from './source-csv.ts'

type TestApp = Awaited<ReturnType<typeof testApp>>

const from = await testApp()
const to = await testApp()
const by = { id: null, name: 'Tester' }

async function newFolder(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'handouts-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return path.join(root, 'out')
}

/** A folder as exports write it: recordings by title, each with lines of handouts, and more files. */
async function folderWith(
  items: Readonly<Record<string, { recording: Buffer; lines: readonly string[] }>>,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const folder = await newFolder()
  await mkdir(path.join(folder, 'handouts'), { recursive: true })
  for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(folder, name), bytes)
  for (const [title, { recording }] of Object.entries(items))
    await writeFile(path.join(folder, `${title}.mp3`), recording)
  const rows = Object.entries(items).map(([title, { lines }]) => {
    const words = [title, title, 'Ruth', '2020-11-22', '', '', '', `${title}.mp3`, '']
    return [...words, lines.join('\r\n')]
  })
  await writeFile(path.join(folder, 'teachings.csv'), writeCsv(exportColumns, rows))
  return folder
}

async function moveIn({ context }: TestApp, source: string) {
  const { id } = await createImport(context, { kind: 'folder', source, document: null }, {}, by)
  await importWorker(context).runAll()
  await confirmImport(context, id, {}, by)
  await importWorker(context).runAll()
  const { state, items } = await readImport(context, id)
  expect(state).toBe('done')
  return { id, reports: Object.fromEntries(items.map((item) => [item.title, [item.outcome, item.reason]])) }
}

const listed = async (app: TestApp) =>
  Object.fromEntries(
    (await call(teachings.list, {}, app.client())).map((each) => [each.title, each.handouts]),
  )
const stored = (app: TestApp) => readdir(path.join(app.dataDir, 'handouts')).catch(() => [])
const open = (app: TestApp, hash: string) => fetch(app.url + handoutAddress({ hash, type: 'pdf' }))

test('refused handouts are a reason of an item that moves in', async () => {
  const app = await testApp()
  const pdf = samplePdf()
  const folder = await folderWith(
    {
      Refused: {
        recording: await recordingOf(1),
        lines: [
          'handouts/page.pdf',
          'handouts/half.pdf',
          'handouts/large.pdf|Large outline.pdf',
          'handouts/none.pdf',
          '../secret.pdf',
        ],
      },
      Six: {
        recording: await recordingOf(2),
        lines: [1, 2, 2, 3, 4, 5].map((at) => `handouts/${at}.pdf`),
      },
      Seven: {
        recording: await recordingOf(3),
        lines: [1, 2, 3, 4, 5, 6, 7].map((at) => `./handouts/${at}.pdf`),
      },
      Damaged: { recording: Buffer.from('no sound'), lines: ['handouts/8.pdf'] },
    },
    {
      'handouts/page.pdf': Buffer.from('<!doctype html><script>alert(1)</script>'),
      'handouts/half.pdf': pdf.subarray(0, pdf.length - 40),
      'handouts/large.pdf': Buffer.concat([pdf, Buffer.alloc(handoutLimits.bytes)]),
      '../secret.pdf': samplePdf('A file beside the folder'),
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7, 8].map((at) => [`handouts/${at}.pdf`, samplePdf(String(at))]),
      ),
    },
  )
  const { reports } = await moveIn(app, folder)
  const without = (name: string, fault: string) => `It moved in without its handout ${name}. ${fault}`
  expect(reports).toEqual({
    Refused: [
      'imported',
      [
        without('page.pdf', 'The content of this file is no PDF, JPEG, PNG or WebP, whatever its name.'),
        'Export it as a PDF and add that.',
        without('half.pdf', 'The end of this PDF is missing. Download or export it again and add that file.'),
        without(
          'Large outline.pdf',
          'A handout has at most 10 MB. Save it in a smaller size and add it again.',
        ),
        without('none.pdf', 'There is no file handouts/none.pdf.'),
        without('secret.pdf', 'There is no file ../secret.pdf.'),
      ].join(' '),
    ],
    Six: ['imported', ''],
    Seven: ['imported', expect.stringMatching(/handout 6\.pdf\. A teaching has at most 5 handouts/)],
    Damaged: ['failed', expect.any(String)],
  })
  const all = await listed(app)
  expect(all['Refused']).toBeNull()
  expect(all['Six']?.map(({ name }) => name)).toEqual(['1.pdf', '2.pdf', '3.pdf', '4.pdf', '5.pdf'])
  expect(all['Seven']).toEqual(all['Six'])
  expect(await stored(app)).toHaveLength(5)
})

test('handouts go out under safe names and come back unchanged', async () => {
  const member = await from.signedIn()
  const { reports } = await moveIn(
    from,
    await folderWith(
      {
        Hope: { recording: await recordingOf(11), lines: [] },
        Grace: { recording: await recordingOf(12), lines: [] },
      },
      {},
    ),
  )
  expect(reports).toMatchObject({ Hope: ['imported', ''], Grace: ['imported', ''] })
  const files: [title: string, name: string, bytes: Buffer][] = [
    ['Hope', 'Outline.pdf', samplePdf('One')],
    ['Hope', 'OUTLINE.pdf', samplePdf('Two')],
    ['Hope', 'CON.pdf', samplePdf('Three')],
    ['Hope', `${'恩'.repeat(116)}.pdf`, samplePdf('Four')],
    ['Grace', 'Outline.pdf', samplePdf('One')],
    ['Grace', 'Map of “Galatia” & more; a,b.png', plainPng(60, 40)],
  ]
  const rows = await call(teachings.list, {}, from.client())
  for (const [title, name, bytes] of files) {
    const { id } = rows.find((row) => row.title === title)!
    const handout = new File([new Uint8Array(bytes)], name)
    await call(handouts.add, { params: { id }, query: {}, files: { handout } }, member)
  }
  const folder = await newFolder()
  expect(await exportLibrary(from.context, folder, 'https://a.example')).toEqual({
    teachings: 2,
    missing: [],
  })
  const written = path.join(folder, 'handouts')
  expect((await readdir(path.join(written, 'Hope_Ruth_20201122'))).sort()).toEqual([
    'OUTLINE_2.pdf',
    'Outline.pdf',
    '_CON.pdf',
    `${'恩'.repeat(80)}.pdf`,
  ])
  const map = path.join(written, 'Grace_Ruth_20201122', 'Map of “Galatia” & more; a,b.png')
  expect(await readFile(map)).toEqual(plainPng(60, 40))

  const moved = await moveIn(to, folder)
  expect(moved.reports).toEqual({ Hope: ['imported', ''], Grace: ['imported', ''] })
  const here = await listed(to)
  expect(here).toEqual(await listed(from))
  expect(here['Hope']?.map(({ name }) => name)).toEqual(files.slice(0, 4).map(([, name]) => name))
  const { hash } = here['Hope']![0]!
  expect(Buffer.from(await (await open(to, hash)).arrayBuffer())).toEqual(samplePdf('One'))

  await undoImport(to.context, moved.id, by)
  expect((await open(to, hash)).status).toBe(404)

  await from.context.storage.remove('handouts', `${hash}.pdf`)
  const second = await exportLibrary(from.context, await newFolder(), 'https://a.example')
  expect(second.missing).toEqual([`/handouts/${hash}.pdf`, `/handouts/${hash}.pdf`])
})

test('a table of an earlier export stays plain text', () => {
  const row = ['guid', 'a <b>', 'Ruth', '2020-11-22', '', 'c <i>', '', 'a.mp3', '']
  const { items } = readCsv(writeCsv(exportColumns.slice(0, -1), [row]), {}, '')
  expect(items).toMatchObject([{ title: 'a <b>', description: 'c <i>', handouts: [] }])
})
