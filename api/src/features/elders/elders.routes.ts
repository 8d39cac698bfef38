import type { IncomingMessage } from 'node:http'
import { photoHash } from '@fellowship/schema/elders/elder-photo'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { openHeaders } from '../../http/security-headers.ts'
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
      const photo = { path: file.staged.path, gone: callerGone(http) }
      return { elder: await changePhoto(context, params.id, photo, actor) }
    } finally {
      if (file) await discardFile(file)
    }
  })
}

/** "Under 5MB", counted while it arrives; a longer file is refused without reading it to its end. */
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

/** `/images/<hash>-<width>.webp`: the address is the hash of the bytes, so the picture may be cached forever. */
export function photoRoute(context: Context): RawRoute {
  const { storage, config } = context
  const headers = {
    ...openHeaders(config),
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
  }
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/images/'),
    failureHeaders: openHeaders(config),
    async send(request, response, pathname) {
      if (!photoHash(pathname)) throw new Problem('not_found', 'There is no picture at this address.')
      const name = pathname.slice('/images/'.length)
      const file = await storage.open('images', name)
      if (!file) throw new Problem('not_found', 'There is no picture at this address.')
      try {
        await sendFile(request, response, file, { tag: `"${name}"`, headers })
      } finally {
        await file.close()
      }
    },
  })
}
