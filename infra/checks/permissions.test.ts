import { describe, expect, test } from 'vitest'
import { contract } from '@fellowship/schema/contract'
import type { Access, AnyEndpoint, Method } from '@fellowship/schema/endpoint'

/** Every call and who may make it. A new call must be added here. */
const expected = `
auth.currentUser         GET    /api/auth/user                    everyone
auth.login               POST   /api/auth/login                   everyone
auth.register            POST   /api/auth/register                everyone
auth.logout              POST   /api/auth/logout                  everyone
auth.forgotPassword      POST   /api/auth/forgot-password         everyone
auth.resetPassword       POST   /api/auth/reset-password          everyone
auth.verifyEmail         POST   /api/auth/verify-email            everyone
auth.csrfToken           GET    /api/csrf-token                   everyone
teachings.list           GET    /api/teachings                    everyone
teachings.search         GET    /api/teachings/search             everyone
teachings.update         PUT    /api/teachings/:id                user
teachings.remove         DELETE /api/teachings/:id                user
teachings.undoRemove     POST   /api/teachings/:id/undo-delete    user
elders.list              GET    /api/elders                       everyone
elders.create            POST   /api/elders                       admin
elders.update            PUT    /api/elders/:id                   admin
elders.remove            DELETE /api/elders/:id                   admin
elders.photo             POST   /api/elders/:id/photo             admin
passages.list            GET    /api/passages                     everyone
uploads.parseFilename    POST   /api/sermons/parse-filename       user
uploads.checkDuplicate   POST   /api/sermons/check-duplicate      user
uploads.smartUpload      POST   /api/sermons/smart-upload         user
uploads.finalize         POST   /api/uploads/:id/finalize         user
sync.pull                GET    /api/sync                         everyone
sync.events              GET    /api/sync/events                  everyone
system.live              GET    /api/health/live                  everyone
system.ready             GET    /api/health/ready                 everyone
system.info              GET    /api/health/system-info           admin
system.goOn              POST   /api/admin/sweeps/go-on           admin
system.openapi           GET    /api/openapi.json                 everyone
users.list               GET    /api/admin/users                  admin
users.create             POST   /api/admin/users                  admin
users.update             PUT    /api/admin/users/:id              admin
users.remove             DELETE /api/admin/users/:id              admin
users.unlock             POST   /api/admin/users/:id/unlock       admin
audit.list               GET    /api/admin/audit                  admin
sftp.status              GET    /api/sftp/status                  admin
sftp.start               POST   /api/sftp/start                   admin
sftp.stop                POST   /api/sftp/stop                    admin
sftp.clearUpload         POST   /api/sftp/clear-upload            admin
sftp.credentials         GET    /api/sftp/credentials             admin
sftp.changePassword      POST   /api/sftp/change-password         admin
sftp.monitor             GET    /api/sftp/monitor                 admin
sftp.cleanup             POST   /api/sftp/cleanup                 admin
sftp.unban               POST   /api/sftp/unban                   admin
inbox.list               GET    /api/inbox                        admin
inbox.recording          GET    /api/inbox/:id/recording          admin
inbox.publish            POST   /api/inbox/:id/publish            admin
inbox.remove             DELETE /api/inbox/:id                    admin
backup.createManual      GET    /api/backup/create-manual         admin
backup.prepare           POST   /api/backup/prepare               admin
backup.history           GET    /api/backup/history               admin
audio.stats              GET    /api/audio-management/stats       admin
audio.cleanup            DELETE /api/audio-management/cleanup     admin
chapters.read            GET    /api/teachings/:uid/chapters      everyone
handouts.add             POST   /api/teachings/:id/handouts       user
handouts.remove          DELETE /api/teachings/:id/handouts/:hash user
copies.status            GET    /api/audio-management/copies      admin
copies.change            PUT    /api/audio-management/copies      admin
copies.retry             POST   /api/audio-management/copies/retry admin
copies.sounds            GET    /api/sermons/sounds               user
copies.trim              POST   /api/teachings/:id/trim           user
copies.untrim            POST   /api/teachings/:id/untrim         user
bin.list                 GET    /api/admin/bin                    admin
bin.restore              POST   /api/admin/bin/:id/restore        admin
processes.list           GET    /api/admin/processes              admin
feed.check               GET    /api/admin/feed-check             admin
site.read                GET    /api/site                         everyone
site.update              PUT    /api/site                         admin
site.logo                POST   /api/site/logo                    admin
site.picture             POST   /api/site/picture/:which          admin
series.list              GET    /api/series                       everyone
series.create            POST   /api/series                       user
series.update            PUT    /api/series/:uid                  user
series.picture           POST   /api/series/:uid/picture          user
series.removePicture     DELETE /api/series/:uid/picture          user
series.remove            DELETE /api/series/:uid                  user
series.undoRemove        POST   /api/series/:uid/undo-delete      user
series.bin               GET    /api/admin/bin/series             admin
series.restore           POST   /api/admin/bin/series/:uid/restore admin
listening.pull           GET    /api/listening                    user
listening.send           POST   /api/listening/events             user
listening.push           POST   /api/listening                    user
listening.choose         PUT    /api/listening/choice             user
push.key                 GET    /api/push/key                     everyone
push.subscribe           POST   /api/push/subscribe               everyone
push.unsubscribe         POST   /api/push/unsubscribe             everyone
events.list              GET    /api/events                       everyone
events.create            POST   /api/events                       admin
events.update            PUT    /api/events/:id                   admin
events.remove            DELETE /api/events/:id                   admin
events.bin               GET    /api/admin/bin/events             admin
events.restore           POST   /api/admin/bin/events/:id/restore admin
notices.list             GET    /api/notices                      everyone
notices.create           POST   /api/notices                      admin
notices.update           PUT    /api/notices/:id                  admin
notices.remove           DELETE /api/notices/:id                  admin
notices.bin              GET    /api/admin/bin/notices            admin
notices.restore          POST   /api/admin/bin/notices/:id/restore admin
imports.list             GET    /api/imports                      admin
imports.create           POST   /api/imports                      admin
imports.upload           POST   /api/imports/file                 admin
imports.read             GET    /api/imports/:id                  admin
imports.confirm          POST   /api/imports/:id/confirm          admin
imports.pause            POST   /api/imports/:id/pause            admin
imports.undo             POST   /api/imports/:id/undo             admin
pages.list               GET    /api/pages                        everyone
pages.create             POST   /api/pages                        admin
pages.update             PUT    /api/pages/:id                    admin
pages.remove             DELETE /api/pages/:id                    admin
pages.picture            POST   /api/pages/:id/picture            admin
pages.removePicture      DELETE /api/pages/:id/picture            admin
pages.bin                GET    /api/admin/bin/pages              admin
pages.restore            POST   /api/admin/bin/pages/:id/restore  admin
transcripts.read         GET    /api/teachings/:id/transcript     everyone
transcripts.drafts       GET    /api/transcripts/drafts           user
transcripts.save         PUT    /api/teachings/:id/transcript     user
transcripts.approve      POST   /api/teachings/:id/transcript/approve user
transcripts.remove       DELETE /api/teachings/:id/transcript     user
transcripts.restore      POST   /api/teachings/:id/transcript/versions/:version/restore user
transcripts.words        GET    /api/speech/words                 user
spokenSearch.list        GET    /api/spoken-search                everyone
spokenSearch.pack        GET    /api/spoken-search/packs/:id      everyone
spokenSearch.dictionary  GET    /api/spoken-search/dictionaries/:id everyone
spokenSearch.sentences   GET    /api/spoken-search/sentences/:uid everyone
spokenSearch.said        GET    /api/spoken-search/said           everyone
speech.status            GET    /api/admin/machine-drafts        admin
speech.change            PUT    /api/admin/machine-drafts        admin
speech.retry             POST   /api/admin/machine-drafts/retry   admin
`

/** The specification's table of permissions as rules over paths; the first match decides, and every call must match. */
const rules: readonly [methods: 'any' | 'reads' | 'changes', path: RegExp, access: Access][] = [
  ['any', /^\/api\/(admin|audio-management|backup|sftp|inbox|imports)(\/|$)/, 'admin'],
  ['any', /^\/api\/health\/system-info$/, 'admin'],
  ['any', /^\/api\/(listening|speech|transcripts)(\/|$)/, 'user'],
  ['changes', /^\/api\/(elders|events|notices|pages|passages|site)(\/|$)/, 'admin'],
  ['changes', /^\/api\/(teachings|series|sermons|uploads)(\/|$)/, 'user'],
  ['reads', /^\/api\/(sermons|uploads)(\/|$)/, 'user'],
  ['changes', /^\/api\/(auth|push)\//, 'everyone'],
  [
    'reads',
    /^\/api\/(auth|csrf-token|elders|events|health|login|notices|openapi\.json|pages|passages|push|series|site|spoken-search|sync|teachings)(\/|$)/,
    'everyone',
  ],
]

test('every call is listed with method, path and access', () => {
  expect(calls().map(([name, call]) => line(name, call))).toEqual(listed())
})

test('every call has the access of the permission table', () => {
  const actual = calls().map(([name, { method, path, access }]) => `${name} ${method} ${path} ${access}`)
  const specified = calls().map(
    ([name, { method, path }]) => `${name} ${method} ${path} ${accessBySpecification(method, path)}`,
  )
  expect(actual).toEqual(specified)
})

test('no two calls share method and path', () => {
  const addresses = calls().map(([, { method, path }]) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)
  expect(addresses).toEqual([...new Set(addresses)])
})

test('no GET call has a body', () => {
  const withBody = calls().filter(([, { method, encoding }]) => method === 'GET' && encoding !== 'none')
  expect(withBody.map(([name]) => name)).toEqual([])
})

/** The specification's list of protected calls, and some public ones, matched by the rules above. */
describe('the rules', () => {
  test.each([
    ['GET', '/api/admin/users', 'admin'],
    ['POST', '/api/admin/users', 'admin'],
    ['PUT', '/api/admin/users/:id', 'admin'],
    ['DELETE', '/api/admin/users/:id', 'admin'],
    ['GET', '/api/admin/processes', 'admin'],
    ['GET', '/api/audio-management/stats', 'admin'],
    ['DELETE', '/api/audio-management/cleanup', 'admin'],
    ['GET', '/api/health/system-info', 'admin'],
    ['GET', '/api/backup/create-manual', 'admin'],
    ['GET', '/api/sftp/status', 'admin'],
    ['GET', '/api/sftp/credentials', 'admin'],
    ['POST', '/api/sftp/change-password', 'admin'],
    ['POST', '/api/elders', 'admin'],
    ['PUT', '/api/elders/:id', 'admin'],
    ['DELETE', '/api/elders/:id', 'admin'],
    ['POST', '/api/elders/:id/photo', 'admin'],
    ['GET', '/api/elders', 'everyone'],
    ['PUT', '/api/teachings/:id', 'user'],
    ['DELETE', '/api/teachings/:id', 'user'],
    ['POST', '/api/sermons/smart-upload', 'user'],
    ['GET', '/api/teachings', 'everyone'],
    ['GET', '/api/teachings/search', 'everyone'],
    ['POST', '/api/auth/logout', 'everyone'],
    ['GET', '/api/health/ready', 'everyone'],
  ] as const)('%s %s is for %s', (method, path, access) => {
    expect(accessBySpecification(method, path)).toBe(access)
  })

  test.each([
    ['POST', '/api/csrf-token'],
    ['GET', '/api/administration'],
    ['DELETE', '/api/sync'],
    ['GET', '/elsewhere'],
  ] as const)('%s %s matches no rule', (method, path) => {
    expect(accessBySpecification(method, path)).toBe('nobody: no rule')
  })
})

function accessBySpecification(method: Method, path: string): Access | 'nobody: no rule' {
  const kind = method === 'GET' ? 'reads' : 'changes'
  const rule = rules.find(
    ([methods, pattern]) => (methods === 'any' || methods === kind) && pattern.test(path),
  )
  return rule?.[2] ?? 'nobody: no rule'
}

function calls(): [name: string, call: AnyEndpoint][] {
  return Object.entries(contract).flatMap(([feature, group]) =>
    Object.entries<AnyEndpoint>(group).map(([name, call]): [string, AnyEndpoint] => [
      `${feature}.${name}`,
      call,
    ]),
  )
}

const line = (name: string, { method, path, access }: AnyEndpoint) => `${name} ${method} ${path} ${access}`

const listed = () =>
  expected
    .trim()
    .split('\n')
    .map((row) => row.split(/\s+/).join(' '))
