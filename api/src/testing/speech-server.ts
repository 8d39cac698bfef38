import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** What a server for speech recognition was asked. */
interface SpeechCall {
  /** Text fields of the form. */
  readonly fields: Readonly<Record<string, string>>
  readonly wav: Buffer
  readonly authorization: string | undefined
}

export interface SpeechServer {
  readonly url: string
  readonly calls: SpeechCall[]
  /** Answers the next calls. */
  answer: (call: SpeechCall, response: ServerResponse) => void
}

/** A server that knows OpenAI's call for transcriptions, for this file's tests. */
export async function speechServer(): Promise<SpeechServer> {
  const server = createServer((request, response) => {
    void callOf(request).then(
      (call) => {
        made.calls.push(call)
        made.answer(call, response)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const made: SpeechServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/transcriptions`,
    calls: [],
    answer: (_call, response) => response.writeHead(500).end(),
  }
  return made
}

/** Answers with segments, as `verbose_json`. */
export const segmentsAnswer =
  (segments: readonly Record<string, unknown>[], language = 'english') =>
  (_call: unknown, response: ServerResponse): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ task: 'transcribe', language, segments }))

async function callOf(request: IncomingMessage): Promise<SpeechCall> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const headers = { 'content-type': request.headers['content-type']! }
  const form = await new Response(Buffer.concat(parts), { headers }).formData()
  const fields: Record<string, string> = {}
  for (const [name, value] of form) if (typeof value === 'string') fields[name] = value
  const wav = Buffer.from(await (form.get('file') as File).arrayBuffer())
  return { fields, wav, authorization: request.headers.authorization }
}
