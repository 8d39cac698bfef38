import type { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import type { Http } from './hono-types.ts'

/** JSON bodies are small; recordings are streamed. */
const maxJsonBytes = 64 * 1024

/** Parses input by its schema or refuses with the first issue's sentence; `issues` lists every field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw new Problem('invalid_input', sentence(issues[0]), { issues })
}

/** The JSON body of a request; no body at all reads as an empty object. */
export async function readJson(http: Http): Promise<unknown> {
  const declared = Number(http.req.header('content-length') ?? 0)
  if (declared > maxJsonBytes) throw tooLong()
  const bytes = await readBounded(http)
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

async function readBounded(http: Http): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = http.req.raw.body?.getReader()
  while (reader) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array }
    if (done || !value) break
    length += value.length
    if (length > maxJsonBytes) {
      await reader.cancel()
      throw tooLong()
    }
    chunks.push(value)
  }
  return Buffer.concat(chunks)
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
