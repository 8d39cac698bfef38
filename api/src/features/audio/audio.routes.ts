import type { IncomingMessage, ServerResponse } from 'node:http'
import { audio } from '@fellowship/schema/audio/audio.contract'
import { Problem } from '@fellowship/schema/problem'
import { contentDisposition, downloadName } from '@fellowship/schema/teachings/download-name'
import { type AudioExtension, audioMime } from '@fellowship/schema/uploads/uploads.limits'
import type { TagPicture } from '@fellowship/sound/write/id3'
import type { Context } from '../../context.ts'
import { addressOfCaller, receiverGone } from '../../http/caller.ts'
import { rawRoute, type RawRoute, sendBody } from '../../http/deliver.ts'
import { type OpenFiles, openFiles } from '../../http/open-files.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { sendFile, type SendOptions } from '../../http/send-file.ts'
import { type App, serve } from '../../http/serve.ts'
import type { StoredFile } from '../../machine/storage/storage.ts'
import {
  addressAfter,
  type LiveRecording,
  recordingAddress,
  recordingsByHash,
  soundOf,
  wasJustReplaced,
} from './audio.ts'
import { audioStatistics, cleanUpAudio } from './storage-care.ts'
import { downloadTagging } from './tagged-download.ts'

/**
 * `/audio/<sha256>.<ext>[?download=1|?resume=1]`. The address is the hash of the bytes, so the recording may be cached forever;
 * the address of a replaced recording redirects to that of its replacement, but for a day not for players that have begun it. A download carries a tag with the library's present
 * words, so it is revalidated. A truncated file is sent, but must not be cached. A save resumes by the
 * entity tag, and is never redirected to a bucket.
 *
 * @param picture in those tags
 */
export function audioRoute(
  context: Context,
  picture: () => Promise<TagPicture | undefined> = async () => undefined,
): RawRoute {
  const { storage } = context
  const { audioAccel } = context.config
  const files = openFiles(
    { open: (name) => storage.open('audio', name), stat: (name) => storage.stat('audio', name) },
    // In a bucket a look costs a request, and reading a replaced file fails.
    storage.isLocal ? {} : { most: 10_000, checkMs: 60_000 },
  )
  void context.lifecycle.ended.then(() => files.close())
  const recordings = recordingsByHash(context)
  const tagging = downloadTagging()
  // Players and podcast apps on other sites may load recordings.
  const common = openHeaders(context.config)
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/audio/'),
    failureHeaders: common,
    async send(request, response, pathname) {
      const recordingOfSound = soundPath.exec(pathname)?.[1]
      if (recordingOfSound) return sendSound(request, response, recordingOfSound)
      const [, name, sha256, extension] = recordingAddress.exec(pathname) ?? []
      if (!name || !sha256) throw new Problem('not_found', 'There is no recording at this address.')
      const query = (request.url ?? '').split('?', 2)[1] ?? ''
      const type = extension as AudioExtension
      const recording = (await recordings()).get(sha256)
      if (recording?.mime !== audioMime[type]) {
        const isSent = await sendBegun(context, request, response, { files, name, sha256, type })
        return isSent ? undefined : redirect(response, sha256, query)
      }
      const asked = new URLSearchParams(query)
      const download = asked.get('download') === '1'
      const headersFor = ({ bytes }: Pick<StoredFile, 'bytes'>) => ({
        ...common,
        ...recordingHeaders(recording, type, { download, isWhole: bytes === recording.bytes }),
      })
      const sent =
        audioAccel && !download
          ? await storage
              .stat('audio', name)
              .then((file) => file && leaveToProxy(response, headersFor(file), audioAccel + name))
          : await files.use(name, async (open) => {
              const isWhole = open.bytes === recording.bytes
              const mayLead = isWhole && !download && !asked.has('resume') && mayLeadOn(request)
              if (open.publicUrl !== undefined && mayLead) return leadTo(response, common, open.publicUrl)
              const send = (tagged?: Partial<SendOptions>) =>
                sendFile(request, response, open, {
                  tag: `"${sha256}"`,
                  headers: headersFor(open),
                  address: addressOfCaller(request, context),
                  ...tagged,
                })
              if (!download) await send()
              else {
                const gone = receiverGone(response)
                const tags = { recording, extension: type, picture: await picture() }
                await tagging.use(open, tags, gone, send).catch((error: unknown) => {
                  if (!gone.aborted) throw error
                })
              }
              return true
            })
      if (!sent) {
        context.log.error({ sha256 }, 'a recording of a teaching is missing on disk')
        throw new Problem('not_found', 'This recording is missing. Please tell the elders.')
      }
    },
  })

  async function sendSound(
    request: IncomingMessage,
    response: ServerResponse,
    sha256: string,
  ): Promise<void> {
    const sound = await soundOf(context.sql, sha256)
    if (!sound) throw new Problem('not_found', 'This recording was not measured yet.')
    await sendBody(request, response, {
      headers: [...Object.entries(common).flat(), 'cache-control', immutable],
      type: 'application/json; charset=utf-8',
      tag: `${sha256}-sound`,
      codings: [],
      encode: () => Buffer.from(sound),
    })
  }

  async function redirect(response: ServerResponse, sha256: string, query: string): Promise<void> {
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

/** Sends a replaced recording if the caller has a part of it, as while it plays: If-Range names it then. */
async function sendBegun(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  { files, name, sha256, type }: { files: OpenFiles; name: string; sha256: string; type: AudioExtension },
): Promise<boolean> {
  const tag = `"${sha256}"`
  if (request.headers['if-range'] !== tag || !(await wasJustReplaced(context, sha256))) return false
  const common = openHeaders(context.config)
  const sent = await files.use(name, async (open) => {
    const headers = { ...common, 'content-type': audioMime[type], 'cache-control': 'no-store' }
    await sendFile(request, response, open, { tag, headers, address: addressOfCaller(request, context) })
    return true
  })
  return sent ?? false
}

/** Waveform and silences of a recording, by its hash. */
const soundPath = /^\/audio\/([0-9a-f]{64})\.sound\.json$/

/** nginx sends the file and its ranges, with the type, name and cache headers of this response. */
function leaveToProxy(response: ServerResponse, headers: Record<string, string>, address: string): true {
  response.writeHead(200, { ...headers, 'x-accel-redirect': address }).end()
  return true
}

/** If the request has a condition, it names our entity tag, which the bucket does not have. */
const mayLeadOn = ({ headers }: IncomingMessage) =>
  ['if-range', 'if-none-match', 'if-match'].every((name) => headers[name] === undefined)

/** Players and caches store this redirect for some minutes; the bytes behind it never change. */
function leadTo(response: ServerResponse, common: Record<string, string>, address: string): true {
  response.writeHead(302, { ...common, location: address, 'cache-control': 'public, max-age=300' }).end()
  return true
}

export function mountAudioManagement(app: App, context: Context): void {
  serve(app, context, audio.stats, () => audioStatistics(context))
  serve(app, context, audio.cleanup, ({ actor }) => cleanUpAudio(context, actor))
}

/**
 * The type of a recording, its cache lifetime, and the file name of a download.
 *
 * @param isWhole if false, the file must not be cached: the same recording, uploaded again, gets its address
 */
function recordingHeaders(
  recording: LiveRecording,
  extension: AudioExtension,
  { download, isWhole = true }: { download: boolean; isWhole?: boolean },
): Record<string, string> {
  return {
    'content-type': recording.mime,
    'cache-control': !isWhole ? 'no-store' : download ? renewed : immutable,
    ...(download && { 'content-disposition': contentDisposition(downloadName(recording, extension)) }),
  }
}

/** For bytes whose address is their hash. */
const immutable = 'public, max-age=31536000, immutable, no-transform'

/** For bytes that change with the words of the teaching. */
const renewed = 'public, no-cache, no-transform'
