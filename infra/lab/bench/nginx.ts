import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@fellowship/api/testing/free-port'
import { pinned, withSbin } from './tools.ts'

export interface Nginx {
  readonly url: string
  /** Its document root; PUT requests write to `<root>/put`. */
  readonly root: string
  stop(): Promise<void>
}

/** The yardstick for downloads and uploads: one worker with sendfile, otherwise Debian's defaults. */
export async function startNginx(): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-nginx-'))
  const root = path.join(folder, 'root')
  await mkdir(path.join(root, 'put'), { recursive: true })
  const port = await freePort()
  await writeFile(path.join(folder, 'nginx.conf'), configuration(folder, root, port))
  const [command, args] = pinned('server', 'nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'])
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env: withSbin() })
  const stop = async () => {
    if (server.exitCode === null) {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await fetch(url).catch(() => undefined)); tries += 1) {
    if (server.exitCode !== null || tries > 100) {
      await stop()
      throw new Error('nginx did not start.')
    }
    await sleep(50)
  }
  return { url, root, stop }
}

const configuration = (folder: string, root: string, port: number) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  types {
    text/javascript js;
    application/json json;
    audio/mpeg mp3;
  }
  access_log off;
  sendfile on;
  # tcp_nopush would delay each range response by 40 ms, until the previous one is acknowledged.
  tcp_nopush off;
  # As the product does: no limit of requests per connection.
  keepalive_requests 100000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    location /put/ {
      dav_methods PUT;
      client_max_body_size 0;
    }
    location ~ \\.json$ { gzip_static on; }
  }
}
`
