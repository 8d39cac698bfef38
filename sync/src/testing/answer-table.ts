/** The answers of the verdict tables: of our server, of proxies and captive portals, and of a bad line. */
export type TableAnswer = () => Response | Promise<Response>

const page = '<html>Welcome to the motel.</html>'
const refused = (status: number, code: string, extra: object = {}): Response =>
  Response.json({ success: false, code, error: `Because of ${code}`, ...extra }, { status })

export const tableAnswers = {
  '200 {}': () => Response.json({}),
  '200 other JSON': () => Response.json({ status: 'ok' }),
  '200 HTML': () => new Response(page),
  '200 cut off': () => new Response('{"success":true,"teach'),
  '204 without more': () => new Response(null, { status: 204 }),
  '302 to a page': () => new Response(null, { status: 302, headers: { location: '/login' } }),
  '400 ours': () => refused(400, 'invalid_input'),
  '400 of a proxy': () => Response.json({ code: 'bad' }, { status: 400 }),
  '401 ours': () => refused(401, 'unauthorized'),
  '401 of a proxy': () => new Response(page, { status: 401 }),
  '403 ours': () => refused(403, 'forbidden'),
  '403 csrf, twice': () => refused(403, 'csrf'),
  '404 ours': () => refused(404, 'not_found'),
  '404 of a proxy': () => new Response(page, { status: 404 }),
  '409 duplicate': () => refused(409, 'duplicate'),
  '409 conflict': () => refused(409, 'revision_conflict'),
  '409 of a proxy': () => new Response(page, { status: 409 }),
  '410 ours': () => refused(410, 'upload_gone'),
  '410 of a proxy': () => new Response(page, { status: 410 }),
  '413 ours': () => refused(413, 'too_large'),
  '413 of a proxy': () => new Response(page, { status: 413 }),
  '423 ours': () => refused(423, 'upload_busy'),
  '426 ours': () => refused(426, 'upgrade_required'),
  '429 with Retry-After': () => new Response('', { status: 429, headers: { 'retry-after': '90' } }),
  '429 ours': () => refused(429, 'rate_limited'),
  '500 ours': () => refused(500, 'internal'),
  '502 of a proxy': () => new Response(page, { status: 502 }),
  '503 ours': () => refused(503, 'unavailable', { retryAfter: 10 }),
  '507 ours': () => refused(507, 'disk_full'),
  'no answer': () => Promise.reject(new TypeError('Failed to fetch')),
} satisfies Record<string, TableAnswer>

export type TableAnswerName = keyof typeof tableAnswers
