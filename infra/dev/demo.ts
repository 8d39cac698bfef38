/** `npm run demo`: the built product with sample content, in data/demo. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { administrator, sampleContent, sampleUser, sampleSettings } from './sample-content.ts'
import { waitUntilReady } from './ready.ts'

const root = path.resolve(import.meta.dirname, '../..')
const settings = sampleSettings(root, 'data/demo')
const port = settings['PORT'] || '3000'
const url = `http://localhost:${port}`

const server = spawn(process.execPath, [path.join(root, 'api/dist/main.mjs')], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...settings,
    NODE_ENV: 'production',
    PORT: port,
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (signal === 'SIGTERM' || !process.stdin.isTTY) server.kill(signal)
  })
}
server.once('exit', (code) => process.exit(code ?? 1))
await waitUntilReady(url, server)
if ((await sampleContent(url)) === 'filled') console.log('The library was filled with sample content.')
console.log(`administrator  ${administrator.email} / ${administrator.password}`)
console.log(`user           ${sampleUser.email} / ${sampleUser.password}`)
