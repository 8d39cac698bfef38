/** `npm run bench [-- area … --as-built]`: measures the product against yardsticks in the same run. Not a test. */
import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Area } from './area.ts'
import { audioFull, audioRange } from './areas/audio.ts'
import { backupDownload } from './areas/backup.ts'
import { catalogue } from './areas/catalogue.ts'
import { drive } from './areas/drive.ts'
import { firstVisit } from './areas/first-visit.ts'
import { offlineOpen } from './areas/offline-open.ts'
import { search } from './areas/search.ts'
import { sftpTransfer } from './areas/sftp.ts'
import { signIn } from './areas/sign-in.ts'
import { spokenDevice } from './areas/spoken-device.ts'
import { spokenSearch } from './areas/spoken-search.ts'
import { staticFiles } from './areas/static.ts'
import { syncBootstrap } from './areas/sync-bootstrap.ts'
import { tapToSound } from './areas/tap-to-sound.ts'
import { textEditor } from './areas/text-editor.ts'
import { multipartUpload, tusUpload } from './areas/uploads.ts'
import { runAreas } from './run-areas.ts'
import { markdownTable } from './table.ts'
import { pin, versionOf, type Tool } from './tools.ts'

const areas: readonly Area[] = [
  audioFull,
  audioRange,
  staticFiles,
  catalogue,
  multipartUpload,
  tusUpload,
  sftpTransfer,
  backupDownload,
  search,
  spokenSearch,
  spokenDevice,
  textEditor,
  signIn,
  syncBootstrap,
  firstVisit,
  offlineOpen,
  tapToSound,
  drive,
]

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  // Measures the existing build instead of building the current sources.
  options: { 'as-built': { type: 'boolean', default: false } },
})
const unknown = names.filter((name) => !areas.some((area) => area.name === name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Areas: ${areas.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const root = path.resolve(import.meta.dirname, '../../..')
if (!options['as-built'])
  execFileSync(process.execPath, ['--import', 'tsx', 'infra/dev/build.ts', '--if-needed'], {
    cwd: root,
    stdio: 'inherit',
  })
// Requests sent from this process share a core with the load generator, never with the server.
pin('load', process.pid)

const wanted = areas.filter(({ name }) => names.length === 0 || names.includes(name))
const rows = await runAreas(wanted, {
  isInstalled: (tool) => versionOf(tool) !== undefined,
  print: (line) => console.log(line),
})

const versions = (['nginx', 'wrk'] as const satisfies Tool[]).map(
  (tool) => `${tool} ${versionOf(tool) ?? 'absent'}`,
)
console.log(
  `\nNode ${process.versions.node}, ${versions.join(', ')}; load average ${loadavg()[0]!.toFixed(1)}\n`,
)
if (rows.length > 0) console.log(markdownTable(rows))
// Keep-alive sockets would hold the process open for a while.
process.exit(0)
