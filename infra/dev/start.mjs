// `npm start`: installs and builds if needed, then runs the server. `--demo` adds sample content.
import { spawn } from 'node:child_process'
import { ensureInstalled, fail, root, runTypeScript } from './self-setup.mjs'

ensureInstalled()
if (runTypeScript('infra/dev/build.ts', ['--if-needed']) !== 0)
  fail('The build failed; see its message above.')

const demo = process.argv.includes('--demo')
const program = demo
  ? ['--import', 'tsx', 'infra/dev/demo.ts']
  : ['--enable-source-maps', 'api/dist/main.mjs']
const server = spawn(process.execPath, program, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_ENV: 'production' },
})
// Ctrl-C in a terminal signals the whole process group, the server included; other signals are forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) server.kill(signal)
  })
}
// npm starts this through a shell, and a signal to npm ends that shell alone.
if (process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32') {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    server.kill('SIGTERM')
  }, 500)
}
server.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
