import { audio } from './audio/audio.contract.ts'
import { auth } from './auth/auth.contract.ts'
import { audit } from './audit/audit.contract.ts'
import { backup } from './backup/backup.contract.ts'
import { copies } from './copies/copies.contract.ts'
import { elders } from './elders/elders.contract.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { feed } from './feed/feed.contract.ts'
import { listening } from './listening/listening.contract.ts'
import { passages } from './passages/passages.contract.ts'
import { push } from './push/push.contract.ts'
import { series } from './series/series.contract.ts'
import { sftp } from './sftp/sftp.contract.ts'
import { processes } from './processes/processes.contract.ts'
import { sync } from './sync/sync.contract.ts'
import { system } from './system/system.contract.ts'
import { bin, teachings } from './teachings/teachings.contract.ts'
import { inbox } from './inbox/inbox.contract.ts'
import { uploads } from './uploads/uploads.contract.ts'
import { users } from './users/users.contract.ts'
import { visit } from './visit/visit.contract.ts'

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
  copies,
  bin,
  processes,
  feed,
  visit,
  series,
  listening,
  push,
} satisfies Record<string, Record<string, AnyEndpoint>>
