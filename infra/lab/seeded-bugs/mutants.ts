import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import { seedsOfARun, type runDeviceHistory } from '../simulations/device-simulation.ts'

const root = path.resolve(import.meta.dirname, '../../..')

/** A bug seeded into production source; each `find` must occur exactly once in `file`, named from the root. */
export interface Mutant {
  name: string
  /** How the failure begins that it has to cause: the number of the invariant. */
  oracle: string
  /** The first history that it made fail in this way, which is tried before all others of a run. */
  seed: number
  file: string
  edits: readonly { find: string; replace: string }[]
}

/** At least one bug for each invariant. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a stale page is applied',
    oracle: '6:',
    seed: 55,
    file: 'sync/src/client/replica/apply-page.ts',
    edits: [{ find: "if (state.cursor !== asked.cursor) return 'stale'", replace: '' }],
  },
  {
    name: 'a page older than an acknowledgement is applied',
    oracle: '13:',
    seed: 12,
    file: 'sync/src/client/replica/apply-page.ts',
    edits: [{ find: "if (state.acknowledged !== asked.acknowledged) return 'stale'", replace: '' }],
  },
  {
    name: 'the words of a discarded entry stay in the base of the next',
    oracle: '15:',
    seed: 7,
    file: 'sync/src/client/outbox/outbox.ts',
    edits: [
      {
        find: '  for (const later of laterOnes) {',
        replace: '  for (const later of [] as OutboxEntry[]) {',
      },
    ],
  },
  {
    name: 'rows and cursor are written in two transactions',
    oracle: 'rows without a cursor',
    seed: 78,
    file: 'sync/src/client/replica/apply-page.ts',
    edits: [
      { find: "return db.transaction('rw'", replace: "const early = await db.transaction('rw'" },
      {
        find: 'await writeSyncState(db, {',
        replace: `return undefined })
          if (early === 'stale') return early
          return db.transaction('rw', db.replicaTables, async () => {
          const state = await readSyncState(db)
          await writeSyncState(db, {`,
      },
    ],
  },
  {
    name: 'a snapshot does not delete missing rows',
    oracle: 'the device differs',
    seed: 0,
    file: 'sync/src/client/replica/apply-page.ts',
    edits: [
      { find: 'const left = present.filter((uid) => !kept.has(uid))', replace: 'const left: string[] = []' },
    ],
  },
  {
    name: 'deletions are ignored',
    oracle: 'the device differs',
    seed: 0,
    file: 'sync/src/client/replica/apply-page.ts',
    edits: [{ find: 'const left = changes.flatMap(deletedUid)', replace: 'const left: string[] = []' }],
  },
  {
    name: 'the epoch is not checked',
    oracle: 'the device differs',
    seed: 18,
    file: 'sync/src/server/change-feed.ts',
    edits: [{ find: 'if (cursor.epoch !== clock.epoch) return false', replace: '' }],
  },
  {
    name: 'the tombstone floor is not checked',
    oracle: 'the device differs',
    seed: 1,
    file: 'sync/src/server/change-feed.ts',
    edits: [{ find: 'if (cursor.rev < clock.floor) return false', replace: '' }],
  },
  {
    name: 'a replayed mutation is applied again',
    oracle: '2:',
    seed: 12,
    file: 'sync/src/testing/memory-server.ts',
    edits: [
      {
        find: 'body: before.response as Record<string, unknown> }',
        replace: 'body: this.#apply(mutation, row) }',
      },
    ],
  },
  {
    name: 'the base revision is not checked',
    oracle: '4:',
    seed: 1,
    file: 'sync/src/server/mutation.ts',
    edits: [
      {
        find: 'baseRev === undefined || hasSeen(baseRev, current)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'a change of older words passes where the server has added something since',
    oracle: '4:',
    seed: 1,
    file: 'sync/src/server/mutation.ts',
    edits: [{ find: 'baseRev >= sameSince && ', replace: '' }],
  },
  {
    name: 'later outbox entries are not rebased after an acknowledged edit',
    oracle: '5:',
    seed: 7,
    file: 'sync/src/client/outbox/outbox.ts',
    edits: [{ find: 'if (isStill) await rebaseLaterEntries(db, entry, row)', replace: '' }],
  },
  {
    name: 'what was being sent when the power was cut stays so',
    oracle: '8:',
    seed: 0,
    file: 'sync/src/client/outbox/outbox-drain.ts',
    edits: [
      {
        find: "=> state === 'queued' || state === 'sending'",
        replace: "=> state === 'queued'",
      },
    ],
  },
  {
    name: 'edits are not on the screen',
    oracle: '9:',
    seed: 0,
    file: 'sync/src/client/outbox/outbox.ts',
    edits: [{ find: 'else byUid.set(uid, patched(row, patch))', replace: '' }],
  },
  {
    name: 'the outbox of everybody is shown',
    oracle: '10:',
    seed: 0,
    file: 'sync/src/client/outbox/outbox.ts',
    edits: [
      {
        find: ": db.outbox.filter(({ ownerUserId }) => ownerUserId === userId).sortBy('seq')",
        replace: ": db.outbox.toCollection().sortBy('seq')",
      },
    ],
  },
  {
    name: 'the outbox of everybody is sent',
    oracle: '11:',
    seed: 8,
    file: 'sync/src/client/outbox/outbox-drain.ts',
    edits: [
      {
        find: 'db.outbox.filter(({ ownerUserId }) => ownerUserId === owner)',
        replace: 'db.outbox.toCollection()',
      },
    ],
  },
  {
    name: 'a change names its teaching by the number alone',
    oracle: '16:',
    seed: 18,
    file: 'sync/src/client/outbox/outbox-drain.ts',
    edits: [
      { find: 'query: { baseRev, uid } }', replace: 'query: { baseRev } }' },
      { find: 'baseRev, uid }\n  return', replace: 'baseRev }\n  return' },
    ],
  },
  {
    name: 'a page of many changes is not applied',
    oracle: '1:',
    seed: 1,
    file: 'sync/src/client/replica/pull.ts',
    edits: [
      {
        find: 'const outcome = await applyPage',
        replace:
          "const isLong = page.mode === 'delta' && page.changes.length > 2\n    const outcome = isLong ? 'applied' : await applyPage",
      },
    ],
  },
  {
    name: 'an answer in the server’s place counts as its yes',
    oracle: '3:',
    seed: 7,
    file: 'sync/src/call/call-error.ts',
    edits: [{ find: 'if (error) throw new NetworkError(error)', replace: '' }],
  },
  {
    name: 'what met a conflict is left out',
    oracle: '7:',
    seed: 1,
    file: 'sync/src/client/outbox/outbox.ts',
    edits: [{ find: "if (result?.outcome === 'nothing left') {", replace: 'if (result) {' }],
  },
  {
    name: 'a change is sent without its person',
    oracle: '11:',
    seed: 5,
    file: 'infra/lab/simulations/site-server.ts',
    edits: [{ find: 'if (headers.get(actingUserHeader) !== String(arrival.userId))', replace: 'if (false)' }],
  },
  {
    name: 'the digest leaves a kind out',
    oracle: '12:',
    seed: 0,
    file: 'sync/src/client/replica/pull.ts',
    edits: [
      {
        find: 'const entries = []\n    for (const kind of kinds) {',
        replace: 'const entries = []\n    for (const kind of kinds.slice(1)) {',
      },
    ],
  },
  {
    name: 'one entry makes as many requests as it likes',
    oracle: '14:',
    seed: 1,
    file: 'sync/src/client/engine/rate.ts',
    edits: [{ find: 'own.length >= requestLimits.perEntry', replace: 'false' }],
  },
  {
    name: 'a device makes as many requests as it likes',
    oracle: '14:',
    seed: 1,
    file: 'sync/src/client/engine/rate.ts',
    edits: [{ find: 'sent.length >= perDevice', replace: 'false' }],
  },
  {
    name: 'what failed is not counted once its entry is done',
    oracle: '14:',
    seed: 7,
    file: 'sync/src/client/engine/rate.ts',
    edits: [{ find: '({ id }) => !answered.has(id)', replace: '(each) => each.key !== key' }],
  },
  {
    name: 'whatever is answered counts as progress',
    oracle: '14: nothing',
    seed: 0,
    file: 'sync/src/client/outbox/outbox-drain.ts',
    edits: [
      {
        find: 'return handleFailure(db, entry, error, options)',
        replace: 'counted.forget()\n    return handleFailure(db, entry, error, options)',
      },
    ],
  },
  {
    name: 'the bytes are deleted when the last one has arrived',
    oracle: '17: bytes',
    seed: 1,
    file: 'sync/src/client/uploads/upload-run.ts',
    edits: [
      {
        find: '  const next =\n    offset === size',
        replace: '  if (offset === size) await run.db.chunks.clear()\n  const next =\n    offset === size',
      },
    ],
  },
  {
    name: 'an upload counts as done whatever is answered at its end',
    oracle: '17: an upload left the device, and is not published',
    seed: 7,
    file: 'sync/src/client/uploads/upload-run.ts',
    edits: [
      {
        find: '    if (!isGone(error)) throw error\n    if (await isTeachingGone',
        replace:
          '    if (!isGone(error)) return finish(run, job.id, { uid: job.id } as never)\n    if (await isTeachingGone',
      },
    ],
  },
  {
    name: 'an upload is published again at each finalize',
    oracle: '18:',
    seed: 0,
    file: 'infra/lab/simulations/site-server.ts',
    edits: [{ find: 'if (upload.answer) return upload.answer', replace: '' }],
  },
  {
    name: 'what has arrived is not held against its hash',
    oracle: '19:',
    seed: 7,
    file: 'infra/lab/simulations/site-server.ts',
    edits: [{ find: 'if (sha256Of(upload.bytes) !== upload.sha256) {', replace: 'if (false) {' }],
  },
  {
    name: 'what is saved is not held against its hash',
    oracle: '20:',
    seed: 36,
    file: 'sync/src/client/saved-audio/audio-download.ts',
    edits: [
      {
        find: 'if (total !== size || bytesToHex(hash.digest()) !== key) {',
        replace: 'if (total !== size) {',
      },
    ],
  },
  {
    name: 'a frozen leader is waited for',
    oracle: '21:',
    seed: 15,
    file: 'sync/src/client/engine/leader.ts',
    edits: [{ find: 'else if (unanswered === heartbeat.unanswered) return onFrozen()', replace: '' }],
  },
  {
    name: 'a form is saved against the row as it is now',
    oracle: '22:',
    seed: 10_002,
    file: 'infra/lab/simulations/wider-events.ts',
    edits: [
      {
        find: 'appendEdit(tab.app, row, text, {',
        replace:
          'appendEdit(tab.app, (await this.#device.screen(tab)).find(({ uid }) => uid === row.uid) ?? row, text, {',
      },
    ],
  },
  {
    name: 'each failing recording is tried for itself',
    oracle: '23:',
    seed: 10_002,
    file: 'sync/src/client/saved-audio/audio-downloads.ts',
    edits: [
      { find: 'return next.entry && hostAt > now() ? { dueAt: hostAt } : next', replace: 'return next' },
    ],
  },
  {
    name: 'a full device is asked each minute',
    oracle: '24:',
    seed: 10_000,
    file: 'sync/src/client/saved-audio/device-room.ts',
    edits: [{ find: 'if (!(await hasRoom())) return false', replace: '' }],
  },
  {
    name: 'an older build writes after a rollback',
    oracle: '25:',
    seed: 10_000,
    file: 'sync/src/client/replica/sync-state.ts',
    edits: [
      {
        find: "if (needed > writerSchema) throw db.becomeOutdated(haveWritten.has(db) ? 'outdated' : 'older')",
        replace: '',
      },
    ],
  },
  {
    name: 'an older build writes rows',
    oracle: 'an outdated page',
    seed: 2,
    file: 'sync/src/client/replica/sync-state.ts',
    edits: [
      {
        find: "if (needed > writerSchema) throw db.becomeOutdated(haveWritten.has(db) ? 'outdated' : 'older')",
        replace: '',
      },
    ],
  },
]

/** The first failure by the invariant of a mutant; undefined if none of the histories in every run fails by it. */
export async function failureOf(
  { oracle, seed }: Mutant,
  runHistory: (history: { seed: number; steps: number }) => Promise<unknown>,
): Promise<string | undefined> {
  for (const tried of [seed, ...seedsOfARun.filter((each) => each !== seed)]) {
    try {
      await runHistory({ seed: tried, steps: 60 })
    } catch (error) {
      const { message } = error as Error
      if (message.includes(` of 60: ${oracle}`)) return message
    }
  }
  return undefined
}

/**
 * Bundles the simulation with a mutant's bug in its source.
 *
 * @throws Error if a `find` does not occur exactly once: the mutant is out of date
 */
export async function simulationOf(mutant: Mutant): Promise<typeof runDeviceHistory> {
  const target = path.join(root, mutant.file)
  let isSeeded = false
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'infra/lab/simulations/device-simulation.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // Shared with the test, so that the bundle uses the test's fake IndexedDB.
    external: ['dexie', 'fake-indexeddb', 'zod', '@noble/hashes'],
    plugins: [
      {
        name: 'mutant',
        setup(bundle) {
          bundle.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
            if (path.normalize(file) !== target) return undefined
            isSeeded = true
            return { contents: mutate(await readFile(file, 'utf8'), mutant), loader: 'ts' }
          })
        },
      },
    ],
  })
  if (!isSeeded)
    throw new Error(`The mutant "${mutant.name}" names a file that is never loaded: ${mutant.file}`)
  // Inside the package, so that the bundle resolves its external imports.
  const folder = await mkdtemp(path.join(root, 'sync/.mutant-'))
  try {
    const file = path.join(folder, 'simulation.mjs')
    await writeFile(file, outputFiles[0]!.contents)
    const bundle = (await import(/* @vite-ignore */ file)) as { runDeviceHistory: typeof runDeviceHistory }
    return bundle.runDeviceHistory
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @throws Error if a `find` does not occur exactly once in the present source */
export async function assertFits(mutant: Mutant): Promise<void> {
  mutate(await readFile(path.join(root, mutant.file), 'utf8'), mutant)
}

function mutate(source: string, { name, edits }: Mutant): string {
  return edits.reduce((text, { find, replace }) => {
    if (text.split(find).length !== 2)
      throw new Error(`The mutant "${name}" does not match exactly once: ${find}`)
    return text.replace(find, () => replace)
  }, source)
}
