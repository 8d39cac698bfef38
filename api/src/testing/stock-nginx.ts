import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { freePort } from './free-port.ts'

/** Ordinary users do not have the sbin folders in PATH. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }

/** Whether to skip the tests behind nginx: it is not installed, and not required as in CI. */
export const isNginxMissing = (): boolean =>
  !process.env['CI'] && spawnSync('nginx', ['-v'], { env }).error !== undefined

/**
 * nginx in front of `upstream` as somebody sets it up who changes nothing else: `proxy_pass` and the caller's Host, and
 * everything else by default, such as bodies of one megabyte at most, and several processes in turn. With `cache` it keeps
 * what the answers allow, and says in `x-cache` the source of an answer. Stopped after the test, or the tests of the file.
 *
 * @returns its address
 */
export const stockNginx = (upstream: string | readonly string[], { cache = false } = {}): Promise<string> =>
  startNginx((folder, port) =>
    configuration(folder, port, upstreamsOf([upstream].flat()), stockLocation(cache), cache),
  )

/**
 * nginx in front of several processes as `infra/deploy/nginx.conf` has it, without its certificate. Stopped after the test,
 * or the tests of the file.
 *
 * @param options.recordings the folder from which it sends recordings (AUDIO_ACCEL)
 * @returns its address
 */
export async function exampleNginx(
  upstreams: readonly string[],
  { recordings }: { recordings?: string } = {},
): Promise<string> {
  const example = await readFile(path.join(import.meta.dirname, '../../../infra/deploy/nginx.conf'), 'utf8')
  const pools = example
    .slice(0, example.indexOf('server {\n    listen 80;'))
    .replace(/ {4}server \S+?( [^;]+)?;/, (_, parameters: string | undefined = '') =>
      upstreams.map((url) => `    server ${new URL(url).host}${parameters};`).join('\n'),
    )
  const settings = /client_max_body_size[\s\S]*?location \/ \{[\s\S]*?\n {4}\}/.exec(example)![0]
  const location = /location \/recordings\/ \{[\s\S]*?\n {4}\}/.exec(example)![0]
  const all = recordings
    ? `${settings}\n${location.replace(/alias [^;]+;/, `alias ${recordings}/;`)}`
    : settings
  return startNginx((folder, port) => configuration(folder, port, pools, all, false))
}

async function startNginx(configure: (folder: string, port: number) => string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stock-nginx-'))
  const port = await freePort()
  await writeFile(path.join(folder, 'nginx.conf'), configure(folder, port))
  const server = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], {
    env,
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  // Within a test vitest ignores afterAll without a warning.
  const atEnd = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  atEnd(async () => {
    server.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/api/health/live`).catch(() => undefined))) {
    if (server.exitCode !== null) throw new Error(`nginx ended with ${server.exitCode}.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return url
}

const upstreamsOf = (urls: readonly string[]) =>
  `upstream fellowship { ${urls.map((url) => `server ${new URL(url).host};`).join(' ')} }`

const stockLocation = (cache: boolean) => `
    location / {
      proxy_pass http://fellowship;
      proxy_set_header Host $http_host;
      ${cache ? 'proxy_cache edge; add_header x-cache $upstream_cache_status;' : ''}
    }`

const configuration = (folder: string, port: number, pools: string, settings: string, cache: boolean) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${cache ? `proxy_cache_path ${folder}/cache keys_zone=edge:1m;` : ''}
  ${pools}
  server {
    listen 127.0.0.1:${port};
    ${settings}
  }
}
`
