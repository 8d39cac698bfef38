import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { freePort } from './free-port.ts'
import { isNginxMissing } from './stock-nginx.ts'

/** The name that the examples of `infra/deploy` serve. */
export const exampleSite = 'teaching.example.org'

/** A proxy as its example has it, on ports of its own, with a certificate of its own authority. */
export interface ExampleProxy {
  readonly http: string
  readonly httpsPort: number
  /** The certificate of its authority. */
  readonly authority: string
}

/** Ordinary users do not have the sbin folders in PATH. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
const example = (name: string) => path.join(import.meta.dirname, '../../../infra/deploy', name)

/** Whether to skip the tests behind Caddy: it is not installed, and not required as in CI. */
export const isCaddyMissing = (): boolean =>
  !process.env['CI'] && spawnSync('caddy', ['version'], { env }).error !== undefined

/** The examples, and whether each has to be skipped here. */
export const examples = [
  { name: 'Caddy', isMissing: isCaddyMissing(), start: caddyWithTls },
  { name: 'nginx', isMissing: isNginxMissing(), start: nginxWithTls },
] as const

/** Caddy by its own `caddy validate` and with its own authority. Stopped after the test, or the tests of the file. */
async function caddyWithTls(upstream: string): Promise<ExampleProxy> {
  const folder = await proxyFolder()
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const ports = `http_port ${httpPort}\n\thttps_port ${httpsPort}\n\tlocal_certs\n\tskip_install_trust\n\tgrace_period 1s`
  const place = { http: `http://127.0.0.1:${httpPort}`, httpsPort }
  const root = path.join(folder, 'pki/authorities/local/root.crt')
  await startCaddy(folder, ports, { SITE: exampleSite, UPSTREAM: upstream })
  return { ...place, authority: await untilThere(() => readFile(root, 'utf8')) }
}

/**
 * Caddy in front of several processes as its example has it, without https. Stopped after the tests of the file.
 *
 * @returns its address
 */
export async function exampleCaddy(upstreams: readonly string[]): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`
  const hosts = upstreams.map((upstream) => new URL(upstream).host)
  await startCaddy(await proxyFolder(), '', { SITE: url, UPSTREAM: hosts.join(' ') })
  await untilThere(() => fetch(`${url}/api/health/live`))
  return url
}

async function startCaddy(folder: string, more: string, settings: NodeJS.ProcessEnv): Promise<void> {
  const options = `{\n\tadmin off\n\tstorage file_system ${folder}\n\t${more}\n}\n`
  const file = path.join(folder, 'Caddyfile')
  await writeFile(file, options + (await readFile(example('Caddyfile'), 'utf8')))
  const args = ['--adapter', 'caddyfile', '--config', file]
  const own = { env: { ...env, HOME: folder, ...settings } }
  execFileSync('caddy', ['validate', ...args], { ...own, stdio: 'pipe' })
  stopAtEnd(spawn('caddy', ['run', ...args], { ...own, stdio: 'ignore' }))
}

/** nginx with the whole file of the example: only ports, names and folders are others. */
export async function nginxWithTls(
  upstream: string,
  {
    recordings = '/nowhere',
    user = process.getuid?.() === 0 ? 'root' : '',
  }: { recordings?: string; user?: string } = {},
): Promise<ExampleProxy> {
  const folder = await proxyFolder()
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', `/CN=${exampleSite}`, '-addext', `subjectAltName=DNS:${exampleSite}`]
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, ...files], { stdio: 'pipe' })
  const site = (await readFile(example('nginx.conf'), 'utf8'))
    .replaceAll(/ *listen \[::\].*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${httpsPort} `)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replace('server 127.0.0.1:3000', `server ${new URL(upstream).host}`)
    .replace(/alias .*;/, `alias ${recordings}/;`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((use) => `${use}_temp_path ${folder}/${use};`)
    .join(' ')
  const whole = `${user && `user ${user};`} daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${site} }`
  await writeFile(path.join(folder, 'nginx.conf'), whole)
  stopAtEnd(spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { env, stdio: 'ignore' }))
  const http = `http://127.0.0.1:${httpPort}`
  await untilThere(() => fetch(http, { redirect: 'manual' }))
  return { http, httpsPort, authority: await readFile(certificate, 'utf8') }
}

/** `fetch` for the site behind the proxy, from an address of this machine; bodies may be streams. */
export function fetchThrough(
  { httpsPort, authority: ca }: ExampleProxy,
  localAddress = '127.0.0.1',
): typeof fetch {
  return (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      const sent = { ...Object.fromEntries(new Headers(headers)), host: exampleSite }
      const request = https.request({
        host: '127.0.0.1',
        port: httpsPort,
        servername: exampleSite,
        ca,
        localAddress,
        agent: false,
        method,
        path: pathname + search,
        headers: sent,
        signal: signal ?? undefined,
      })
      request.once('error', reject)
      request.once('response', (response) => {
        const status = response.statusCode!
        const pairs = Object.entries(response.headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each): [string, string] => [name, each]),
        )
        const bytes = status === 204 ? null : (Readable.toWeb(response) as unknown as ReadableStream)
        resolve(new Response(bytes, { status, headers: pairs }))
      })
      if (body instanceof ReadableStream) Readable.fromWeb(body as never).pipe(request)
      else request.end(body ?? undefined)
    })
}

/** Others may look into it, as a proxy that was started as root works as another user. */
async function proxyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'example-proxy-'))
  await chmod(folder, 0o755)
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function stopAtEnd(server: ReturnType<typeof spawn>): void {
  const ended = once(server, 'exit')
  atEnd(async () => {
    server.kill('SIGTERM')
    await ended
  })
}

/** Within a test vitest ignores afterAll without a warning. The last one started ends first. */
const atEnd = (work: () => Promise<void>) =>
  TestRunner.getCurrentTest() ? onTestFinished(work) : afterAll(work)

async function untilThere<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (tries > 500) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
