import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** Ordinary users do not have the sbin folders in PATH. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }

/** Whether to skip the tests behind nginx: it is not installed, and not required as in CI. */
export const isNginxMissing = (): boolean =>
  !process.env['CI'] && spawnSync('nginx', ['-v'], { env }).error !== undefined

/**
 * nginx in front of `upstream`, or of several in turn, as a newcomer sets it up: `proxy_pass` and the caller's Host, and everything else by
 * default, such as bodies of one megabyte at most. With `cache` it keeps what the answers allow, and says in `x-cache`
 * where an answer came from. Stopped after the file's tests.
 *
 * @returns its address
 */
export async function stockNginx(
  upstream: string | readonly string[],
  { cache = false } = {},
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stock-nginx-'))
  const port = await freePort()
  await writeFile(path.join(folder, 'nginx.conf'), configuration(folder, port, [upstream].flat(), cache))
  const server = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], {
    env,
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  afterAll(async () => {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const configuration = (folder: string, port: number, upstreams: readonly string[], cache: boolean) => `
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
  upstream upstreams {
    ${upstreams.map((url) => `server ${new URL(url).host};`).join(' ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://upstreams;
      proxy_set_header Host $http_host;
      ${cache ? 'proxy_cache edge; add_header x-cache $upstream_cache_status;' : ''}
    }
  }
}
`
