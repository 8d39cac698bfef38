import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { photoHash } from '@fellowship/schema/elders/elder-photo'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { asProblem } from '../../http/on-error.ts'
import { sendFile } from '../../http/send-file.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { discardFile, receiveForm, type ReceivedForm } from '../../http/upload-stream.ts'
import { changeElder, changePhoto, createElder, listElders, removeElder } from './elders.ts'

export function mountElders(app: App, context: Context): void {
  serve(app, context, elders.list, () => listElders(context))
  serve(app, context, elders.create, ({ body, actor }) => createElder(context, body, actor))
  serve(app, context, elders.update, ({ params, body, actor }) =>
    changeElder(context, params.id, body, actor),
  )
  serve(app, context, elders.remove, async ({ params, actor }) => {
    await removeElder(context, params.id, actor)
    return { success: true as const }
  })

  serveUpload(app, context, elders.photo, async ({ http, params, actor, checkCsrfField }) => {
    const { fields, file } = await receivePhoto(context, http.env.incoming, checkCsrfField)
    try {
      if (!fields.has('_csrf')) checkCsrfField(undefined)
      if (!file) throw new Problem('invalid_input', elderTexts.invalidFileType.description)
      await file.staged.finish()
      return { elder: await changePhoto(context, params.id, file.staged.path, actor) }
    } finally {
      if (file) await discardFile(file)
    }
  })
}

/** "Under 5MB", counted while it arrives; what is longer is refused without being read to its end. */
async function receivePhoto(
  context: Context,
  incoming: IncomingMessage,
  checkCsrf: (token: string | undefined) => void,
): Promise<ReceivedForm> {
  try {
    return await receiveForm(incoming, context, {
      filePart: 'photo',
      maxFileBytes: elderPhoto.maxBytes - 1,
      onField: (name, value) => {
        if (name === '_csrf') checkCsrf(value)
      },
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'too_large') {
      throw new Problem('too_large', elderTexts.fileTooLarge.description)
    }
    throw error
  }
}

/**
 * `GET|HEAD /images/<hash>-<width>.webp` on the raw request, as recordings are. An address is the hash of its bytes, so
 * it can be kept forever.
 */
export function pictureDelivery(context: Context): RequestListener {
  return (request, response) => {
    void deliver(context, request, response).catch((error: unknown) =>
      refuse(response, asProblem(error, context)),
    )
  }
}

async function deliver(
  { storage }: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    throw new Problem('method_not_allowed')
  }
  const pathname = (request.url ?? '').split('?', 1)[0]!
  if (!photoHash(pathname)) throw new Problem('not_found', 'There is no picture at this address.')
  const name = pathname.slice('/images/'.length)
  const handle = await storage.open('images', name)
  try {
    const file = await storage.stat('images', name)
    if (!handle || !file) throw new Problem('not_found', 'There is no picture at this address.')
    const { bytes: size, modifiedAt: modified } = file
    await sendFile(request, response, { handle, size, modified }, { tag: `"${name}"`, headers })
  } finally {
    await handle?.close()
  }
}

const headers = {
  'content-type': 'image/webp',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

function refuse(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(problem.status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(problem.toBody()))
}
