import type { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import type { Http } from './hono-types.ts'

/** JSON bodies are small; recordings are streamed. */
const maxJsonBytes = 64 * 1024
/** How long they may take to arrive. */
const maxJsonMs = 30_000

/** Parses input by its schema or refuses with the first issue's sentence; `issues` lists every field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw new Problem('invalid_input', sentence(issues[0]), { issues })
}

/**
 * The JSON body of a request; no body at all reads as an empty object.
 *
 * @throws Problem `too_large`, `too_slow`, `unsupported_media`, `malformed_json`
 */
export async function readJson(http: Http, withinMs = maxJsonMs): Promise<unknown> {
  const declared = Number(http.req.header('content-length') ?? 0)
  if (declared > maxJsonBytes) throw tooLong()
  const bytes = await readBounded(http, withinMs)
  if (bytes.length === 0) return {}
  const type = http.req.header('content-type') ?? ''
  if (!/^application\/([\w.+-]*\+)?json\b/i.test(type)) {
    throw new Problem(
      'unsupported_media',
      'Send the body as JSON with the header Content-Type: application/json.',
    )
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Problem('malformed_json')
  }
}

async function readBounded(http: Http, withinMs: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = http.req.raw.body?.getReader()
  if (!reader) return Buffer.alloc(0)
  let late: NodeJS.Timeout | undefined
  const isLate = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Problem('too_slow')), withinMs)
  })
  try {
    for (;;) {
      const { done, value } = (await Promise.race([reader.read(), isLate])) as {
        done: boolean
        value?: Uint8Array
      }
      if (done || !value) return Buffer.concat(chunks)
      length += value.length
      if (length > maxJsonBytes) throw tooLong()
      chunks.push(value)
    }
  } catch (error) {
    if (error instanceof Problem) await reader.cancel()
    throw error
  } finally {
    clearTimeout(late)
  }
}

const tooLong = () => new Problem('too_large', `The request body may have at most ${maxJsonBytes / 1024} kB.`)

/** A generic message such as 'Required' gets the name of its field in front. */
function sentence(issue: { field: string; message: string } | undefined): string {
  if (!issue) return 'Invalid input'
  const generic =
    /^(Required|Expected |Invalid (input|enum|literal|uuid)|String must|Number must|Array must)/.test(
      issue.message,
    )
  return generic && issue.field !== '' ? `${issue.field}: ${issue.message}` : issue.message
}
