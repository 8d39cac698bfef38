import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Problem } from '@fellowship/schema/problem'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import type { Context } from '../../context.ts'
import { rawRoute, type RawRoute, sendBody } from '../../http/deliver.ts'
import { readBounded } from '../../http/input.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { type App, type Http, serve, serveUpload, type UploadRequest } from '../../http/serve.ts'
import { discardFile, receiveForm } from '../../http/upload-stream.ts'
import { mutationKey } from '../teachings/teachings.ts'
import { approvedVtt } from './approved-vtt.ts'
import {
  approveDraft,
  listDrafts,
  readCaptionBytes,
  readTranscript,
  removeTranscript,
  restoreText,
  saveDraft,
} from './transcripts.ts'

export function mountTranscripts(app: App, context: Context): void {
  serve(app, context, transcripts.read, ({ params: { id }, actor }) =>
    readTranscript(context, id, actor !== null),
  )

  serve(app, context, transcripts.drafts, () => listDrafts(context))

  serveUpload(app, context, transcripts.save, async ({ http, params, query, actor, checkCsrfField }) => {
    const { baseVersion, uid, language } = query
    const bytes = await receivedBytes(context, http, checkCsrfField)
    const text = readCaptionBytes(bytes)
    const content = [
      'save text',
      uid ?? params.id,
      baseVersion,
      createHash('sha256').update(bytes).digest('hex'),
    ]
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, content)
    const draft = { ...text, language: language ?? text.language, source: 'person', baseVersion } as const
    return saveDraft(context, { id: params.id, uid }, draft, { actor, key })
  })

  serve(app, context, transcripts.approve, ({ params, body, actor }) =>
    approveDraft(context, { ...params, ...body }, actor),
  )
  serve(app, context, transcripts.remove, async ({ params, query, actor }) => {
    await removeTranscript(context, { ...params, ...query }, actor)
    return { success: true as const }
  })
  serve(app, context, transcripts.restore, ({ params, body, actor }) =>
    restoreText(context, { ...params, ...body }, actor),
  )
}

/** `/transcripts/<uid>.vtt`: approved texts as files, open to podcast players. */
export function transcriptRoute(context: Context): RawRoute {
  const open = openHeaders(context.config)
  const headers = Object.entries({ ...open, 'cache-control': 'public, max-age=60' }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/transcripts/'),
    failureHeaders: open,
    failureBody: 'text',
    async send(request, response, pathname) {
      const uid = /^\/transcripts\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.vtt$/.exec(pathname)?.[1]
      const file = uid === undefined ? undefined : await approvedVtt(context, uid)
      if (file === undefined) throw new Problem('not_found', texts.none)
      const body = Buffer.from(file)
      return sendBody(request, response, {
        headers,
        type: 'text/vtt; charset=utf-8',
        tag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
        codings: ['gzip'],
        encode: (coding) => (coding ? promisify(gzip)(body) : body),
      })
    },
  })
}

/** The file of a request: its body, or its part `transcript`. */
async function receivedBytes(
  context: Context,
  http: Http,
  checkCsrfField: UploadRequest<typeof transcripts.save>['checkCsrfField'],
): Promise<Buffer> {
  const type = http.req.header('content-type') ?? ''
  const tooLong = () => new Problem('too_large', texts.tooLarge)
  const most = transcriptLimits.fileBytes
  if (!/^multipart\//i.test(type)) {
    // Only a form has a field for the token.
    checkCsrfField(undefined)
    if (!/^(?:text\/(?:vtt|plain|srt)|application\/(?:x-subrip|json))\s*(?:;|$)/i.test(type))
      throw new Problem('unsupported_media', texts.mediaType)
    if (Number(http.req.header('content-length') ?? 0) > most) throw tooLong()
    return readBounded(http.env.incoming, { most, tooLong })
  }
  let token: string | undefined
  const rules = {
    filePart: 'transcript',
    maxFileBytes: most,
    onField: (name: string, value: string) => {
      if (name === '_csrf') checkCsrfField((token = value))
    },
  }
  const { file } = await receiveForm(http.env.incoming, context, rules).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'too_large' ? tooLong() : error
  })
  try {
    checkCsrfField(token)
    if (!file) throw new Problem('invalid_input', texts.noFile)
    await file.staged.finish()
    return await readFile(file.staged.path)
  } finally {
    if (file) await discardFile(file)
  }
}
