/**
 * `npm run dev`: the API restarted on every change, the client with hot reload, sample content, and the logins.
 * Uses its own data folder, data/dev.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createServer } from 'vite'
import { administrator, sampleContent, sampleUser, sampleSettings } from './sample-content.ts'
import { freePort } from '@fellowship/api/testing/free-port'
import { waitUntilReady } from './ready.ts'

const root = path.resolve(import.meta.dirname, '../..')
const apiPort = await freePort()
const api = `http://localhost:${apiPort}`

const server = startApi()
await waitUntilReady(api, server)
await sampleContent(api)

process.env['API_ORIGIN'] = api
const vite = await createServer({ configFile: path.join(root, 'vite.config.ts') })
await vite.listen()
vite.printUrls()
console.log(`  administrator  ${administrator.email} / ${administrator.password}`)
console.log(`  user           ${sampleUser.email} / ${sampleUser.password}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void vite.close().then(() => server.kill('SIGTERM'))
  })
}
server.once('exit', (code) => process.exit(code ?? 0))

function startApi(): ChildProcess {
  return spawn(
    process.execPath,
    ['--import', 'tsx', '--watch', '--watch-preserve-output', 'api/src/main.ts'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        LOG_LEVEL: 'warn',
        ...sampleSettings(root, 'data/dev'),
        HOST: '127.0.0.1',
        PORT: String(apiPort),
      },
    },
  )
}
