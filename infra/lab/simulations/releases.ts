import { addedWords } from '@fellowship/schema/teachings/teaching-words'
import type { Change, Columns } from '@fellowship/schema/sync/sync.schema'
import type { AppDatabase } from '@fellowship/sync/client/database/app-database'
import type { AudioDatabase } from '@fellowship/sync/client/database/audio-database'
import type { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { fromColumns, toColumns } from '@fellowship/sync/protocol/columns'

/** A server of this release, of the next one (with members and a kind that this device does not know), or of the last. */
export type ServerRelease = 'same' | 'newer' | 'older'

type Json = Record<string, unknown>

/** The answer of a server of another release; rows that are read from it are in the same order. */
export async function answerOf(release: ServerRelease, answer: Response): Promise<Response> {
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  if (release === 'same' || !isJson) return answer
  const body = (await answer.json()) as Json
  const changed = release === 'newer' ? withUnknown(body) : withoutAdded(body)
  return Response.json(changed, { status: answer.status, headers: answer.headers })
}

/** Replaces the databases of a device by those of the last release. No page may be open. */
export async function asOlderDevice(device: {
  app: AppDatabase
  uploads: UploadDatabase
  audio: AudioDatabase
}): Promise<void> {
  const { app, uploads, audio } = device
  await app.teachings.toCollection().modify((row) => without(row, addedColumns))
  await app.series.clear()
  await app.outbox.toCollection().modify((entry) => {
    without(entry, ['notBefore'])
    if (entry.kind !== 'series') without(entry.base, addedWords)
  })
  // The last release stored neither the shape of the rows nor the acknowledgements.
  await app.meta
    .where('key')
    .equals('sync')
    .modify((row) => without(row.value as Json, ['shape', 'acknowledged']))
  await uploads.jobs.toCollection().modify((job) => {
    without(job, ['notBefore', 'sends'])
    if (job.replace) without(job.replace, ['uid'])
  })
  await audio.recordings
    .toCollection()
    .modify((recording) => without(recording, ['attempts', 'nextAttemptAt', 'notBefore', 'damaged']))
}

/** With a member that this device does not know in every row, and with rows of a kind that it does not know. */
function withUnknown(body: Json): Json {
  const known = withRows(body, (row) => ({ ...row, subtitle: 'of a later release' }))
  const { tables, changes } = known as { tables?: Json; changes?: Json[] }
  const row = { uid: 'a', rev: 1 }
  return {
    ...known,
    ...(tables && { tables: { ...tables, talk: toColumns([row]) } }),
    ...(changes && { changes: [...changes, { kind: 'talk', ...row, op: 'put', row }] }),
  }
}

const withoutAdded = (body: Json): Json =>
  withRows(body, (row) =>
    // A series has a description from its first release on.
    'speaker' in row ? Object.fromEntries(Object.entries(row).filter(([name]) => !added.has(name))) : row,
  )

/** The body of an answer, with each teaching in it changed, and the row that it is of. */
function withRows(body: Json, changed: (row: Json) => Json): Json {
  const { tables, changes, teaching, current } = body as {
    tables?: Record<string, Columns>
    changes?: Change[]
    teaching?: Json
    current?: Json
  }
  const teachings = tables?.['teaching']
  return {
    ...('uid' in body ? changed(body) : body),
    ...(teachings && {
      tables: { ...tables, teaching: toColumns(fromColumns(teachings).map(changed)) },
    }),
    ...(changes && {
      changes: changes.map((each) =>
        each.kind === 'teaching' && each.op === 'put' ? { ...each, row: changed(each.row) } : each,
      ),
    }),
    ...(teaching && { teaching: changed(teaching) }),
    ...(current && { current: changed(current) }),
  }
}

/** Members of a teaching that were added after the first release. */
const addedColumns = [...addedWords, 'copyUrl', 'copyBytes', 'copyMime', 'loudness', 'transcriptRev']
const added = new Set(addedColumns)

/** The row as the first release had it. */
export function withoutAddedColumns<T extends object>(row: T): T {
  const known = { ...row }
  without(known, addedColumns)
  return known
}

function without(object: object, names: readonly string[]): void {
  for (const name of names) Reflect.deleteProperty(object, name)
}
