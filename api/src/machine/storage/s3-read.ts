import { Readable } from 'node:stream'
import { isTransient, S3Refusal, type S3Requests } from './s3-request.ts'

export interface S3Range {
  readonly key: string
  /** The entity tag of the object that was meant: one stored in its place meanwhile is refused. */
  readonly tag: string
  readonly start: number
  /** Included. */
  readonly end: number
}

/** How often in a row a line may drop without bringing a byte. */
const mostDrops = 4

/**
 * Reads a range of an object. A line that drops, or brings nothing for `silenceMs`, is taken up again at the next byte.
 * Rejects before the first byte if the store refuses.
 */
export async function readRange(requests: S3Requests, range: S3Range, silenceMs: number): Promise<Readable> {
  if (range.end < range.start) return Readable.from([])
  let line = await openLine(requests, range, silenceMs)
  async function* bytes() {
    let at = range.start
    for (let drops = 0; ;) {
      try {
        for (;;) {
          const chunk = await line.next()
          if (!chunk) break
          at += chunk.length
          drops = 0
          yield chunk
        }
        if (at > range.end) return
        throw new Error(`${range.key} broke off.`)
      } catch (error) {
        line.close()
        drops += 1
        if (stream.destroyed || drops > mostDrops || !isTransient(error as Error)) throw error
        line = await openLine(requests, { ...range, start: at }, silenceMs)
      }
    }
  }
  const stream = Readable.from(bytes(), { objectMode: false })
  // The generator may be waiting for a chunk, and would end only after it.
  stream.once('close', () => line.close())
  return stream
}

interface Line {
  next(): Promise<Buffer | undefined>
  close(): void
}

async function openLine(
  requests: S3Requests,
  { key, tag, start, end }: S3Range,
  silenceMs: number,
): Promise<Line> {
  const wish = { method: 'GET', key, headers: { range: `bytes=${start}-${end}`, 'if-match': tag } } as const
  return requests.retried(async () => {
    const control = new AbortController()
    const waiting = async <T>(work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => control.abort(new Error(`${key} brought nothing.`)), silenceMs)
      return work.finally(() => clearTimeout(timer))
    }
    const response = await waiting(requests.once(wish, control.signal))
    if (response.status !== 206) {
      control.abort()
      throw new S3Refusal(response.status, 'with another range than the wanted one', `GET ${key}`)
    }
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    return {
      async next() {
        const { value, done } = await waiting(reader.read())
        return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      },
      close: () => control.abort(),
    }
  })
}
