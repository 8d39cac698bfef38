/** `npm run bench [-- area … --as-built]`: what the product reaches, beside its yardsticks in the same run. Not a test. */
import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Area, Figure } from './area.ts'
import { audioFull, audioRange } from './areas/audio.ts'
import { backupDownload } from './areas/backup.ts'
import { catalogue } from './areas/catalogue.ts'
import { offlineOpen } from './areas/offline-open.ts'
import { multipartUpload } from './areas/multipart-upload.ts'
import { search } from './areas/search.ts'
import { sftpTransfer } from './areas/sftp.ts'
import { signIn } from './areas/sign-in.ts'
import { staticFiles } from './areas/static.ts'
import { syncBootstrap } from './areas/sync-bootstrap.ts'
import { tusUpload } from './areas/tus-upload.ts'
import { wrongPasswords } from './areas/wrong-passwords.ts'
import { markdownTable } from './table.ts'
import { packageOf, pin, versionOf, type Tool } from './tools.ts'

const areas: readonly Area[] = [
  audioFull,
  audioRange,
  staticFiles,
  catalogue,
  multipartUpload,
  tusUpload,
  sftpTransfer,
  wrongPasswords,
  backupDownload,
  search,
  signIn,
  syncBootstrap,
  offlineOpen,
]

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  // Measures the build that stands instead of one of today's sources.
  options: { 'as-built': { type: 'boolean', default: false } },
})
const unknown = asked.filter((name) => !areas.some((area) => area.name === name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Areas: ${areas.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const root = path.resolve(import.meta.dirname, '../..')
if (!options['as-built'])
  execFileSync(process.execPath, ['--import', 'tsx', 'infra/dev/build.ts', '--if-needed'], {
    cwd: root,
    stdio: 'inherit',
  })
// Whoever sends requests from here shares a core with the load, never with the server.
pin('load', process.pid)

const figures: Figure[] = []
for (const area of areas.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const missing = area.needs.filter((tool) => versionOf(tool) === undefined)
  if (missing.length > 0) {
    const packages = missing.map((tool) => `${tool} (package ${packageOf(tool)})`).join(', ')
    console.log(`${area.name}: skipped, this machine has no ${packages}.`)
    continue
  }
  console.log(`${area.name} …`)
  figures.push(...(await area.run()))
}

const versions = (['nginx', 'wrk'] as const satisfies Tool[]).map(
  (tool) => `${tool} ${versionOf(tool) ?? 'absent'}`,
)
console.log(
  `\nNode ${process.versions.node}, ${versions.join(', ')}; load average ${loadavg()[0]!.toFixed(1)}\n`,
)
console.log(markdownTable(figures))
// Timers of sockets that are kept open would hold the process for a while.
process.exit(0)
