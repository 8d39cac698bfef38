// `node start.mjs`: runs the release in this folder, whose .env it reads and where ./data is by default.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`This needs Node 20.19 or newer, best Node 24; this is ${process.versions.node}.`)
  process.exit(1)
}
process.env.NODE_ENV ??= 'production'
process.chdir(import.meta.dirname)
process.setSourceMapsEnabled(true)
// It is beside this file in a release, and not in the sources.
const server = path.join(import.meta.dirname, 'api/dist/main.mjs')
await import(pathToFileURL(server).href)
