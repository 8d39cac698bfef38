import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import { contentDisposition, downloadName } from '@fellowship/schema/teachings/download-name'
import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { asProblem } from '../../http/on-error.ts'
import { openFiles } from '../../http/open-files.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { sendFile } from '../../http/send-file.ts'
import { addressAfter, recordingFile, recordingsByHash, type LiveRecording } from './audio.ts'

/**
 * `GET|HEAD /audio/<sha256>.<ext>[?download=1]` on the raw request, before the framework. An address is the hash of
 * its bytes, so it can be kept forever; a replaced recording has another one, to which the old one leads on.
 */
export function audioDelivery(context: Context): RequestListener {
  const files = openFiles()
  void context.lifecycle.ended.then(() => files.close())
  const recordings = recordingsByHash(context)
  const common = headersOfAll(context)
  return (request, response) => {
    void deliver(request, response).catch((error: unknown) =>
      refuse(response, asProblem(error, context), common),
    )
  }

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      throw new Problem('method_not_allowed')
    }
    const [pathname = '', query = ''] = (request.url ?? '').split('?', 2)
    const [, sha256, extension] = /^\/audio\/([0-9a-f]{64})\.(mp3|wav|m4a)$/.exec(pathname) ?? []
    if (!sha256 || !extension) throw new Problem('not_found', 'There is no recording at this address.')
    const type = extension as AudioExtension
    const recording = (await recordings()).get(sha256)
    if (recording?.mime !== audioMime[type]) return leadOn(response, sha256, query)
    const file = recordingFile(context, sha256, extension)
    const headers = headersOf(common, recording, type, new URLSearchParams(query).get('download') === '1')
    const sent = await files.use(file, async (open) => {
      await sendFile(request, response, open, { tag: `"${sha256}"`, headers })
      return true
    })
    if (!sent) {
      context.log.error({ sha256 }, 'a recording of a teaching is missing on disk')
      throw new Problem('not_found', 'This recording is missing. Please tell the elders.')
    }
  }

  async function leadOn(response: ServerResponse, sha256: string, query: string): Promise<void> {
    const target = await addressAfter(context, sha256)
    if (!target) throw new Problem('not_found', 'There is no recording at this address.')
    response.writeHead(302, {
      ...common,
      location: query === '' ? target : `${target}?${query}`,
      'cache-control': 'no-cache',
    })
    response.end()
  }
}

/** Players and podcast apps on other sites may load recordings; of the other headers those that concern a file. */
function headersOfAll({ config }: Context): Record<string, string> {
  const { 'strict-transport-security': secure } = securityHeaders(config)
  return {
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    ...(secure !== undefined && { 'strict-transport-security': secure }),
  }
}

function headersOf(
  common: Record<string, string>,
  recording: LiveRecording,
  extension: AudioExtension,
  download: boolean,
): Record<string, string> {
  return {
    ...common,
    'content-type': recording.mime,
    'cache-control': 'public, max-age=31536000, immutable, no-transform',
    ...(download && { 'content-disposition': contentDisposition(downloadName(recording, extension)) }),
  }
}

function refuse(response: ServerResponse, problem: Problem, common: Record<string, string>): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(problem.status, {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(problem.toBody()))
}
