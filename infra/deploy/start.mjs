// `node start.mjs`: runs the release in this folder, whose .env it reads and where ./data is by default.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`This needs Node 20.19 or newer, best Node 24; this is ${process.versions.node}.`)
  process.exit(1)
}
process.env.NODE_ENV ??= 'production'
process.chdir(import.meta.dirname)
process.setSourceMapsEnabled(true)
// Below the folder that the release is unpacked to; in the sources there is none beside this file.
await import(new URL('api/dist/main.mjs', import.meta.url).href)
