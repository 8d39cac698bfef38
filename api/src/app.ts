import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { RenderPage } from '@fellowship/schema/pages/prerender-data'
import { installValidationMessages } from '@fellowship/schema/validation-messages'
import type { Context } from './context.ts'
import { mountAudit } from './features/audit/audit.routes.ts'
import { audioRoute, mountAudioManagement } from './features/audio/audio.routes.ts'
import { tagPicture } from './features/audio/tagged-download.ts'
import { mountAuth } from './features/auth/auth.routes.ts'
import { mountBackup } from './features/backup/backup.routes.ts'
import { mountChapters } from './features/chapters/chapters.routes.ts'
import { mountCopies } from './features/copies/copies.routes.ts'
import { coverRoute } from './features/covers/covers.routes.ts'
import { handoutRoute, mountHandouts } from './features/handouts/handouts.routes.ts'
import { mountImports } from './features/imports/imports.routes.ts'
import { oldAddresses } from './features/imports/imports.ts'
import { mountElders } from './features/elders/elders.routes.ts'
import { feedRoute, mountFeedCheck } from './features/feed/feed.routes.ts'
import { liveLibrary } from './features/feed/feed.ts'
import { pageSource } from './features/pages/pages.ts'
import { mountListening } from './features/listening/listening.routes.ts'
import { passagesRoute } from './features/passages/passages.routes.ts'
import { siteImageRoute, siteImagesOf } from './features/site/site-images.ts'
import { pictureRoute } from './features/pictures/pictures.routes.ts'
import { mountPush } from './features/push/push.routes.ts'
import { spokenRoutes } from './features/spoken-search/spoken-search.routes.ts'
import { spokenLibrary } from './features/spoken-search/spoken-search.ts'
import { mountSeries } from './features/series/series.routes.ts'
import { mountSftp } from './features/sftp/sftp.routes.ts'
import { mountProcesses } from './features/processes/processes.routes.ts'
import { mountSync } from './features/sync/sync.routes.ts'
import { metricsRoute } from './features/system/metrics.ts'
import { mountSystem } from './features/system/system.routes.ts'
import { mountTranscripts, transcriptRoute } from './features/transcripts/transcripts.routes.ts'
import { mountBin, mountTeachings } from './features/teachings/teachings.routes.ts'
import { mountInbox } from './features/inbox/inbox.routes.ts'
import { mountUploads } from './features/uploads/uploads.routes.ts'
import { mountUsers } from './features/users/users.routes.ts'
import { calendarRoute, mountEvents } from './features/events/events.routes.ts'
import { mountNotices } from './features/notices/notices.routes.ts'
import { mountSpeech } from './features/speech/speech.routes.ts'
import { mountSite } from './features/site/site.routes.ts'
import { followSite } from './features/site/site.ts'
import { mountWrittenPages } from './features/written-pages/written-pages.routes.ts'
import { answerClientErrors, mountFailures } from './http/on-error.ts'
import { refuseAtOnce, type RawRoute } from './http/deliver.ts'
import { keepAssets, staticFiles } from './http/static-files.ts'
import { hostRefusal, isOtherSpelling } from './http/origins.ts'
import { observe, requestIdHeader, requestIdOf } from './http/observe.ts'
import { securityHeaders } from './http/security-headers.ts'
import type { App, Env } from './http/serve.ts'
import { lingerOverBody } from './http/input.ts'
import { createMetrics, type Metrics } from './machine/metrics.ts'

/**
 * The HTTP server, not yet listening. Raw routes are tried first, then built files and pages, then the API.
 *
 * @param options.webFolder the built web client
 * @param options.renderPage renders the public pages on the server; without it they are sent as built
 */
export async function createApp(
  context: Context,
  { webFolder, renderPage }: { webFolder: string; renderPage?: RenderPage | undefined },
): Promise<Server> {
  installValidationMessages()
  await followSite(context)
  const headers = securityHeaders(context.config)
  const earlierAssets = path.join(context.config.dataDir, 'assets')
  await keepAssets(path.join(webFolder, 'assets'), earlierAssets).catch((error: unknown) =>
    context.log.warn({ err: error }, 'the assets of this release could not be kept for the next one'),
  )
  const library = liveLibrary(context)
  const pages = pageSource(context, library, renderPage)
  const files = await staticFiles(webFolder, headers, pages, earlierAssets)
  const metrics = createMetrics()
  const { app, keptRoutes } = mountApi(context, headers, metrics)
  const old = await oldAddresses(context)
  const images = siteImagesOf(context)
  const rawRoutes = [
    audioRoute(context, tagPicture(images)),
    siteImageRoute(context, images),
    pictureRoute(context),
    handoutRoute(context),
    coverRoute(context, library),
    feedRoute(context, library),
    calendarRoute(context),
    transcriptRoute(context),
    ...keptRoutes,
    metricsRoute(context, metrics),
    old.route,
  ]
  const api = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // Its clean-up closes the connection half a second after a refusal, while the client may still be sending.
    autoCleanupIncoming: false,
  })

  const refusalOf = hostRefusal(context.config)

  const listener: RequestListener = (request, response) => {
    const pathname = (request.url ?? '/').split('?', 1)[0]!
    const refusal = refusalOf(request, pathname)
    if (refusal && isOtherSpelling(context.config, request)) return void leadOn(request, response)
    if (refusal) return refuseAtOnce(request, response, refusal, headers)
    for (const route of rawRoutes) {
      if (route.matches(request, pathname)) return route.deliver(request, response, pathname)
    }
    if (files(request, response, pathname)) return
    lingerOverBody(request, response)
    response.setHeader(requestIdHeader, requestIdOf(response)!)
    void api(request, response)
  }
  const leadOn = async (request: IncomingMessage, response: ServerResponse) => {
    const own = request.url?.startsWith('/') ? request.url : '/'
    const moved = await old
      .targetOf(own)
      .then(async (target) => target ?? (await pages.headOf(request)).movedTo)
      .catch(() => undefined)
    const location = context.config.publicUrl! + (moved ?? own)
    response.writeHead(301, { ...headers, location, 'content-length': 0 }).end()
  }
  // Node would refuse a request without a Host by itself, and without the headers of every answer.
  const server = createServer({ requireHostHeader: false }, observe(context, metrics, listener))
  answerClientErrors(server, headers)
  // Node answers 417 by itself if there is no listener.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  // 100 MB may take an hour over a slow network; a stalled transfer is ended by the socket timeout below.
  server.requestTimeout = 0
  server.headersTimeout = 30_000
  server.keepAliveTimeout = 65_000
  server.setTimeout(120_000)
  // Below the descriptors that service managers allow, so that the database and files still open.
  server.maxConnections = 12_000
  return server
}

function mountApi(
  context: Context,
  headers: Record<string, string>,
  metrics: Metrics,
): { app: App; keptRoutes: RawRoute[] } {
  const app: App = new Hono<Env>()
  app.use(async (http, next) => {
    await next()
    for (const [name, value] of Object.entries(headers)) {
      if (!http.res.headers.has(name)) http.res.headers.set(name, value)
    }
  })
  mountFailures(app, context)
  const description = mountSystem(app, context)
  mountAuth(app, context)
  mountUploads(app, context)
  mountInbox(app, context)
  mountSftp(app, context)
  const spoken = spokenLibrary(context)
  const teachings = mountTeachings(app, context, spoken)
  const series = mountSeries(app, context)
  mountTranscripts(app, context)
  mountListening(app, context)
  mountPush(app, context)
  const elders = mountElders(app, context)
  mountSite(app, context)
  mountSpeech(app, context)
  const calendar = [mountEvents(app, context), mountNotices(app, context)]
  mountImports(app, context)
  mountWrittenPages(app, context)
  mountSync(app, context, metrics)
  mountUsers(app, context)
  mountAudit(app, context)
  mountBackup(app, context)
  mountAudioManagement(app, context)
  mountCopies(app, context)
  mountChapters(app, context)
  mountHandouts(app, context)
  mountBin(app, context)
  mountProcesses(app, context)
  mountFeedCheck(app, context)
  const keptRoutes = [
    ...teachings,
    series,
    elders,
    ...calendar,
    passagesRoute(context),
    ...spokenRoutes(context, spoken),
    description,
  ]
  return { app, keptRoutes }
}
