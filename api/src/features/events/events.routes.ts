import { createHash } from 'node:crypto'
import { calendarPath } from '@fellowship/schema/events/event-address'
import { events } from '@fellowship/schema/events/events.contract'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { keptJson, keptRoute, rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { siteOrigin } from '../../http/origins.ts'
import { openHeaders } from '../../http/security-headers.ts'
import type { App } from '../../http/serve.ts'
import { mountWritten } from '../../http/written-routes.ts'
import { calendarOf } from './event-calendar.ts'
import { eventRows, versionedEvents } from './events.ts'

/** Mounts the calls; returns the route of the list. */
export function mountEvents(app: App, context: Context): RawRoute {
  mountWritten(app, context, events, eventRows)
  const list = keptByRevision(context, async () => keptJson(await eventRows.live(context.sql)))
  return keptRoute(context, events.list, list)
}

/** All events or one of them as iCalendar, open to calendars of other sites. */
export function calendarRoute(context: Context): RawRoute {
  const open = openHeaders(context.config)
  const headers = Object.entries({ ...open, 'cache-control': 'public, max-age=300' }).flat()
  const all = keptByRevision(context, () => versionedEvents(context.sql))
  return rawRoute(context, {
    matches: (_, pathname) => pathname === calendarPath || oneEvent.test(pathname),
    failureHeaders: open,
    failureBody: 'text',
    async send(request, response, pathname) {
      const id = oneEvent.exec(pathname)?.[1]
      const rows = await all()
      const wanted = id === undefined ? rows : rows.filter((row) => row.id === Number(id))
      if (id !== undefined && wanted.length === 0) throw new Problem('not_found', eventTexts.gone)
      const body = Buffer.from(calendarOf(wanted, siteOrigin(context.config, request)))
      return sendBody(request, response, {
        headers,
        type: 'text/calendar; charset=utf-8',
        tag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
        codings: [],
        encode: () => body,
      })
    },
  })
}

const oneEvent = /^\/events\/(\d{1,10})\.ics$/
