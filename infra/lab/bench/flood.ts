import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { timeIsUp } from './latency.ts'
import { pinned } from './tools.ts'

/** A call that strangers repeat. */
export interface FloodedCall {
  /** `%d` in it is replaced by a number that grows. */
  path: string
  /** Asked for in turn instead; a page of text at most, since they go into the environment. */
  paths?: readonly string[]
  /** JSON that is posted. */
  body?: string
  headers?: Record<string, string>
  /** Each request is sent to another made-up name. */
  hosts?: true
}

/** What a flood was answered. */
export interface FloodAnswers {
  /** Below 400. */
  good: number
  /** With a sentence: 400 to 499. */
  refused: number
  /** 500 and above. */
  failed: number
  /** No answer: refused or broken connections, and those of more than ten seconds. */
  broken: number
}

/** What a flood was answered, in words. */
export const answersOf = ({ good, refused, failed, broken }: FloodAnswers): string =>
  `${good} answered, ${refused} refused, ${failed} failed, ${broken} broken`

/** Repeats a call over many connections with wrk. */
export async function flood(
  url: string,
  { path: address, paths = [], body = '', headers = {}, hosts }: FloodedCall,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<FloodAnswers> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const [command, args] = pinned('load', 'wrk', [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    '--timeout=10s',
    `--script=${path.join(import.meta.dirname, 'flood.lua')}`,
    ...given,
    url,
  ])
  const env = {
    ...process.env,
    FLOOD_PATH: address,
    FLOOD_PATHS: paths.join('\n'),
    FLOOD_BODY: body,
    FLOOD_HOSTS: hosts ? '1' : '',
  }
  const { stdout } = await promisify(execFile)(command, args, { env })
  const found = /FLOOD (\d+) (\d+) (\d+) (\d+)/.exec(stdout)
  if (!found) throw new Error(`wrk printed no result:\n${stdout}`)
  const [good, refused, failed, broken] = found.slice(1).map(Number) as [number, number, number, number]
  return { good, refused, failed, broken }
}

/**
 * Holds connections open whose request bodies arrive a byte a second; one that the server ends is opened again.
 *
 * @returns how many the server ended
 */
export async function slowBodies(
  url: string,
  { path: address, connections, seconds }: { path: string; connections: number; seconds: number },
): Promise<number> {
  const { hostname, port } = new URL(url)
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() >= end
  let ended = 0
  const one = async () => {
    while (!isOver()) {
      const socket = connect(Number(port), hostname)
      await trickle(socket, address, isOver)
      if (!isOver()) ended += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return ended
}

/** Bytes that are sent over new connections again and again. */
export interface RawRequests {
  request: string
  /** Ends each connection once they are sent, and waits for no answer. */
  leave: boolean
  connections: number
  seconds: number
}

/** @returns how often they were sent */
export const rawRequests = (url: string, options: RawRequests): Promise<number> =>
  byProcess('send-raw-requests.ts', [url, JSON.stringify(options)])

/**
 * Opens event streams from one address, and holds those that are admitted until the time is over.
 *
 * @returns how many were admitted
 */
export async function heldStreams(
  url: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const isOver = timeIsUp(seconds * 1000)
  const requests: ClientRequest[] = []
  const one = async () => {
    const request = get(`${url}/api/sync/events`, { agent: false })
    requests.push(request)
    request.on('error', () => undefined)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    answer.on('error', () => undefined).resume()
    return answer.statusCode === 200
  }
  const admitted = await Promise.all(Array.from({ length: connections }, () => one().catch(() => false)))
  while (!isOver()) await sleep(100)
  for (const request of requests) request.destroy()
  return admitted.filter(Boolean).length
}

/**
 * Sends a recording that is none again and again, several at once: bytes that look like the beginning of a frame each.
 *
 * @returns how many were refused
 */
export async function hostileRecordings(
  url: string,
  { bytes, atOnce, seconds }: { bytes: number; atOnce: number; seconds: number },
): Promise<number> {
  return byProcess('send-hostile-recordings.ts', [url, ...[bytes, atOnce, seconds].map(String)])
}

/** What it takes to send so much would be measured as the server's delay if it were sent by this process. */
async function byProcess(script: string, given: string[]): Promise<number> {
  const args = ['--import', 'tsx', path.join(import.meta.dirname, script), ...given]
  const { stdout } = await promisify(execFile)(...pinned('load', process.execPath, args))
  return Number(stdout)
}

/** Until the server ends it, or the time is over. */
async function trickle(socket: Socket, address: string, isOver: () => boolean): Promise<void> {
  const closed = once(socket, 'close').catch(() => undefined)
  let isClosed = false
  void closed.then(() => (isClosed = true))
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(
    `POST ${address} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{`,
  )
  while (!isOver() && !isClosed) {
    socket.write(' ')
    await Promise.race([closed, sleep(1000)])
  }
  socket.destroy()
}
