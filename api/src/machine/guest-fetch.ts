import { lookup } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { guestTexts as texts } from '@fellowship/schema/imports/imports.texts'
import { isPublicAddress, PrivateAddress, publicLookup } from './public-lookup.ts'

/** An address that is not fetched, or gave no usable answer; the message is a sentence for people. */
export class GuestRefused extends Error {
  override readonly name = 'GuestRefused'
  /** The status of the last answer, if there was one. */
  readonly status: number | undefined
  /** The answer is larger than allowed. */
  readonly isTooLarge: boolean
  /** There was no answer in time, so that another try may have one. */
  readonly isSilence: boolean

  constructor(sentence: string, about: { status?: number; isTooLarge?: boolean; isSilence?: boolean } = {}) {
    super(sentence)
    this.status = about.status
    this.isTooLarge = about.isTooLarge ?? false
    this.isSilence = about.isSilence ?? false
  }
}

interface GuestAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** After redirects. */
  readonly url: string
  /** Without its content coding. Destroy it if it is not read to its end. */
  readonly body: Readable
}

interface Ask {
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
  /** Until the headers of the answer, and between two parts of its body. */
  silenceMs?: number
  /** Number of tries; later ones after a growing delay. */
  tries?: number
  signal?: AbortSignal | undefined
}

/** Fetches addresses that a stranger may have chosen, with the limits of a guest. */
export interface Guest {
  /**
   * Asks until there is an answer, over at most five redirects. Statuses other than 429 and 5xx are returned.
   *
   * @throws GuestRefused, or the reason of the signal
   */
  open(url: string, ask?: Ask): Promise<GuestAnswer>
  /**
   * The whole of a document of at most `maxBytes`.
   *
   * @throws GuestRefused also for a status other than 200
   */
  read(
    url: string,
    limits: { maxBytes: number; totalMs: number },
  ): Promise<Pick<GuestAnswer, 'headers' | 'url'> & { bytes: Buffer }>
  /**
   * Writes a file of at most `maxBytes`; after an interruption it continues by Range, if the server still has the same file.
   *
   * @param sink `restart` is called if it has to begin again with the first byte
   * @returns whether the server had announced the number of bytes that came
   * @throws GuestRefused, and any error of the sink
   */
  download(
    url: string,
    sink: { write(chunk: Buffer): Promise<void>; restart(): Promise<void> },
    limits: { maxBytes: number; totalMs: number; signal?: AbortSignal | undefined },
  ): Promise<{ isWhole: boolean }>
}

type Wait = (ms: number, signal?: AbortSignal) => Promise<unknown>

const pause: Wait = (ms, signal) => delay(ms, undefined, signal ? { signal } : {})

interface GuestOptions {
  /** Hosts of one's own network that may be fetched, as `host` or `host:port`. */
  privateHosts: readonly string[]
  /** Sent as User-Agent, with a name and an address for questions. */
  userAgent: string
  wait?: Wait
  /** Name servers; those of the system unless given. */
  nameServers?: readonly string[]
}

const mostRedirects = 5
/** A server may ask to wait for as long; longer requests end the fetch. */
const longestWaitMs = 10 * 60_000

export function guestFetch({ privateHosts, userAgent, wait = pause, nameServers }: GuestOptions): Guest {
  const open443 = publicLookup(nameServers ? { servers: nameServers } : {})
  /** Until when a host asked not to be asked. */
  const quietUntil = new Map<string, number>()
  const isOwn = ({ hostname, host }: URL) => privateHosts.includes(hostname) || privateHosts.includes(host)

  /** @throws GuestRefused unless the address may be fetched */
  function check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new GuestRefused(texts.scheme)
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) !== 0 && !isOwn(url) && !isPublicAddress(literal))
      throw new GuestRefused(texts.privateAddress(url.hostname))
  }

  /** One request, without following a redirect. The name is resolved once, and its address is the one connected to. */
  function once(
    url: URL,
    { method = 'GET', headers = {}, silenceMs = 20_000, signal }: Ask,
  ): Promise<IncomingMessage> {
    check(url)
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method,
        headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
        agent: false,
        lookup: isOwn(url) ? lookup : open443,
        timeout: silenceMs,
        ...(signal && { signal }),
      })
      // Also if the name server or the handshake is silent.
      const late = setTimeout(() => request.destroy(silence(url.host)), silenceMs)
      request.once('timeout', () => request.destroy(silence(url.host)))
      request.once('response', (response) => {
        clearTimeout(late)
        response.setTimeout(silenceMs, () => response.destroy(silence(url.host)))
        resolve(response)
      })
      request.once('error', (error) => {
        clearTimeout(late)
        reject(error)
      })
      request.end()
    })
  }

  async function follow(address: string, ask: Ask): Promise<{ response: IncomingMessage; url: URL }> {
    let url = parse(address)
    for (let hops = 0; ; hops += 1) {
      await ready(url.host, ask.signal)
      const response = await once(url, ask)
      const { location } = response.headers
      if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined)
        return { response, url }
      response.destroy()
      if (hops === mostRedirects) throw new GuestRefused(texts.redirects)
      url = parse(location, url)
    }
  }

  async function ready(host: string, signal: AbortSignal | undefined): Promise<void> {
    const ms = (quietUntil.get(host) ?? 0) - Date.now()
    if (ms > 0) await wait(ms, signal)
  }

  async function open(address: string, ask: Ask = {}): Promise<GuestAnswer> {
    const { tries = 4, signal } = ask
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted()
      const found = await follow(address, ask).catch((error: unknown) => asRefusal(error, address, signal))
      if (!(found instanceof Error)) {
        const { response, url } = found
        const status = response.statusCode ?? 0
        if (status !== 429 && status < 500)
          return { status, headers: response.headers, url: url.href, body: decoded(response) }
        response.destroy()
        if (attempt >= tries) throw new GuestRefused(texts.status(status), { status })
        const asked = retryAfterMs(response.headers['retry-after'])
        if (asked > longestWaitMs) throw new GuestRefused(texts.wait, { status })
        if (asked > 0) quietUntil.set(url.host, Date.now() + asked)
      } else if (found instanceof Final || attempt >= tries) {
        throw found instanceof GuestRefused ? found : new GuestRefused(found.message)
      }
      await wait(500 * 2 ** attempt, signal)
    }
  }

  return {
    open,
    read: (address, limits) => read(open, address, limits),
    download: (...given) => download(open, wait, ...given),
  }
}

async function read(
  open: Guest['open'],
  address: string,
  { maxBytes, totalMs }: { maxBytes: number; totalMs: number },
) {
  const signal = AbortSignal.timeout(totalMs)
  try {
    const { status, headers, url, body } = await open(address, { signal })
    if (status !== 200) {
      body.destroy()
      throw new GuestRefused(texts.status(status), { status })
    }
    const parts: Buffer[] = []
    await pour(body, headers, maxBytes, 0, async (part) => void parts.push(part))
    return { headers, url, bytes: Buffer.concat(parts) }
  } catch (error) {
    if (signal.aborted) throw silence(hostOf(address))
    if (error instanceof GuestRefused) throw error
    throw new GuestRefused(texts.brokenOff)
  }
}

async function download(
  open: Guest['open'],
  wait: Wait,
  ...[address, sink, { maxBytes, totalMs, signal: stop }]: Parameters<Guest['download']>
): Promise<{ isWhole: boolean }> {
  const late = AbortSignal.timeout(totalMs)
  const signal = stop ? AbortSignal.any([late, stop]) : late
  let bytes = 0
  let same: string | undefined
  for (let attempt = 1; ; attempt += 1) {
    const resumes = bytes > 0 && same !== undefined
    const range: Record<string, string> = resumes ? { range: `bytes=${bytes}-`, 'if-range': same! } : {}
    const answer = await open(address, { headers: range, signal }).catch((error: unknown) => {
      if (late.aborted) throw silence(hostOf(address))
      throw error
    })
    const { status, headers, body } = answer
    const isRest = status === 206 && headers['content-range']?.startsWith(`bytes ${bytes}-`)
    if (status !== 200 && !isRest) {
      body.destroy()
      throw new GuestRefused(texts.status(status), { status })
    }
    if (!isRest) {
      if (bytes > 0) await sink.restart()
      bytes = 0
      // A weak tag may stand for other bytes.
      const { etag } = headers
      same = etag?.startsWith('"') ? etag : headers['last-modified']
    }
    try {
      await pour(body, headers, maxBytes, bytes, async (part) => {
        await sink.write(part)
        bytes += part.length
      })
      return { isWhole: headers['content-length'] !== undefined }
    } catch (error) {
      body.destroy()
      stop?.throwIfAborted()
      if (late.aborted) throw silence(hostOf(address))
      if (!isTransfer(error)) throw error
      if (attempt >= mostResumes) throw new GuestRefused(texts.brokenOff)
      await wait(500 * attempt, signal)
    }
  }
}

const mostResumes = 6

const silence = (host: string) => new GuestRefused(texts.silent(host), { isSilence: true })

/** @throws GuestRefused if more than `maxBytes` are announced or come */
async function pour(
  body: Readable,
  headers: IncomingMessage['headers'],
  maxBytes: number,
  before: number,
  take: (part: Buffer) => Promise<void>,
): Promise<void> {
  const refusal = () =>
    new GuestRefused(texts.tooLarge(Math.floor(maxBytes / (1024 * 1024))), { isTooLarge: true })
  let bytes = before
  if (before + Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy()
    throw refusal()
  }
  for await (const part of body) {
    bytes += (part as Buffer).length
    if (bytes > maxBytes) throw refusal()
    await take(part as Buffer)
  }
}

/** A refusal that a repetition does not change. */
class Final extends Error {}

/** The failure of one try as an error with its sentence. Rethrows the reason of an aborted signal. */
function asRefusal(error: unknown, address: string, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) throw signal.reason
  const host = hostOf(address)
  if (error instanceof PrivateAddress) return new Final(texts.privateAddress(error.message.split(' ')[0]!))
  if (error instanceof GuestRefused) return error.isSilence ? error : new Final(error.message)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'ENODATA') return new Final(texts.notFound(host))
  return new Error(texts.refused(host))
}

/** Whether a body ended before its time, as opposed to a refusal or an error of the receiver. */
const isTransfer = (error: unknown): boolean =>
  error instanceof GuestRefused
    ? !error.isTooLarge
    : ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )

function parse(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new GuestRefused(texts.scheme)
  return new URL(address, base)
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address)

/** Milliseconds of a Retry-After header, in seconds or as a date; 0 if there is none. */
function retryAfterMs(value: string | undefined): number {
  if (value === undefined) return 0
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now())
}

function decoded(response: IncomingMessage): Readable {
  const coding = response.headers['content-encoding'] ?? 'identity'
  const decoder = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }[coding]
  if (!decoder) return response
  const decoding = decoder()
  response.once('error', (error) => decoding.destroy(error))
  decoding.once('close', () => response.destroy())
  return response.pipe(decoding)
}
