import { handoutAt } from '@fellowship/schema/handouts/handout-file'
import { handouts } from '@fellowship/schema/handouts/handouts.contract'
import { handoutLimits, handoutTypes, type HandoutType } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { Problem } from '@fellowship/schema/problem'
import { contentDisposition } from '@fellowship/schema/teachings/download-name'
import type { Context } from '../../context.ts'
import { addressOfCaller, callerGone } from '../../http/caller.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { sendFile } from '../../http/send-file.ts'
import { type App, serve, serveUpload } from '../../http/serve.ts'
import { receiveFile } from '../../http/upload-stream.ts'
import { mutationKey } from '../teachings/teachings.ts'
import { addHandout, publicHandout, removeHandout } from './handouts.ts'

export function mountHandouts(app: App, context: Context): void {
  serveUpload(app, context, handouts.add, ({ http, params, query, actor, checkCsrfField }) => {
    const rules = {
      part: 'handout',
      maxBytes: handoutLimits.bytes,
      tooLarge: texts.tooLarge,
      none: texts.noFile,
    }
    const keyOf = (hash: string) =>
      mutationKey(http.req.header('idempotency-key'), actor.id, ['add handout', query.uid ?? params.id, hash])
    return receiveFile(context, { http, checkCsrfField, ...rules }, ({ staged: { path }, name }) =>
      addHandout(context, { ...params, ...query }, { path, name, gone: callerGone(http) }, { actor, keyOf }),
    )
  })
  serve(app, context, handouts.remove, ({ params, query, actor }) =>
    removeHandout(context, { ...params, ...query }, actor),
  )
}

/**
 * `/handouts/<hash>.<type>`, for as long as a teaching of the library has that handout. Its bytes never change, so that caches
 * may store it. The browser's own viewer shows it, and nothing in it runs as a part of this site.
 */
export function handoutRoute(context: Context): RawRoute {
  const headers = securityHeaders(context.config)
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/handouts/'),
    failureHeaders: headers,
    async send(request, response, pathname) {
      const wanted = handoutAt(pathname)
      const found = wanted && (await publicHandout(context.sql, wanted.hash))
      if (!wanted || found?.type !== wanted.type) throw new Problem('not_found', texts.none)
      const name = pathname.slice('/handouts/'.length)
      await using file = await context.storage.open('handouts', name)
      if (!file) throw new Problem('not_found', texts.none)
      await sendFile(request, response, file, {
        tag: `"${found.hash}"`,
        headers: {
          ...headers,
          'content-security-policy': viewerPolicy(found.type),
          'content-type': handoutTypes[found.type].mime,
          'content-disposition': contentDisposition(found.name, 'inline'),
          'cache-control': 'public, max-age=31536000, immutable',
        },
        address: addressOfCaller(request, context),
      })
    },
  })
}

/**
 * Allows the markup that a browser builds around a file, and no script. Viewers of PDFs are plugins, which browsers refuse in a
 * sandbox or without `object-src`.
 */
const viewerPolicy = (type: HandoutType) =>
  [
    "default-src 'none'",
    "img-src 'self'",
    "style-src 'unsafe-inline'",
    "frame-ancestors 'none'",
    type === 'pdf' ? "object-src 'self'" : 'sandbox',
  ].join('; ')
