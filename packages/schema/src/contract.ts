import { audio } from './audio/audio.contract.ts'
import { auth } from './auth/auth.contract.ts'
import { audit } from './audit/audit.contract.ts'
import { backup } from './backup/backup.contract.ts'
import { chapters } from './chapters/chapters.contract.ts'
import { copies } from './copies/copies.contract.ts'
import { elders } from './elders/elders.contract.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { events } from './events/events.contract.ts'
import { feed } from './feed/feed.contract.ts'
import { handouts } from './handouts/handouts.contract.ts'
import { imports } from './imports/imports.contract.ts'
import { listening } from './listening/listening.contract.ts'
import { notices } from './notices/notices.contract.ts'
import { passages } from './passages/passages.contract.ts'
import { push } from './push/push.contract.ts'
import { series } from './series/series.contract.ts'
import { sftp } from './sftp/sftp.contract.ts'
import { processes } from './processes/processes.contract.ts'
import { speech } from './speech/speech.contract.ts'
import { sync } from './sync/sync.contract.ts'
import { system } from './system/system.contract.ts'
import { bin, teachings } from './teachings/teachings.contract.ts'
import { transcripts } from './transcripts/transcripts.contract.ts'
import { inbox } from './inbox/inbox.contract.ts'
import { uploads } from './uploads/uploads.contract.ts'
import { pages } from './written-pages/written-pages.contract.ts'
import { users } from './users/users.contract.ts'
import { site } from './site/site.contract.ts'
import { spokenSearch } from './spoken-search/spoken-search.contract.ts'

/** Every call of the API by feature and name: the server, OpenAPI and the permission check read this list. */
export const contract = {
  auth,
  teachings,
  elders,
  passages,
  uploads,
  sync,
  system,
  users,
  audit,
  sftp,
  inbox,
  backup,
  audio,
  chapters,
  handouts,
  copies,
  bin,
  processes,
  feed,
  site,
  series,
  listening,
  push,
  events,
  notices,
  imports,
  pages,
  transcripts,
  spokenSearch,
  speech,
} satisfies Record<string, Record<string, AnyEndpoint>>
