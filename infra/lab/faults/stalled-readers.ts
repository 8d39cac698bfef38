import { connect, type Socket } from 'node:net'
import { readFile } from 'node:fs/promises'

/** A connection that requests a recording, and reads no more than its socket takes by itself. */
export function stalledReader(url: string, headers: Record<string, string> = {}): Promise<Socket> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket
      .on('error', () => resolve(socket))
      .on('connect', () => {
        socket.pause()
        socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
        resolve(socket)
      })
  })
}

/** Resident memory of a process in MB; 0 if it has ended. */
export const residentMegabytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Processor seconds that a process has used so far; 0 if it has ended. */
export const processorSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // Fields 14 and 15 of proc(5), counted after the name in brackets, in hundredths.
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
  return (user + system) / 100
}
