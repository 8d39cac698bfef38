import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import type { runHistory } from './simulation.ts'

/** A bug seeded into production source; each `find` must occur exactly once in `file`. */
export interface Mutant {
  name: string
  /** A history that it made fail, which is tried first; all others follow. */
  seed: number
  file: string
  edits: readonly { find: string; replace: string }[]
}

/** The seeded bugs. Checking convergence alone misses three of them. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a stale page is applied',
    seed: 1,
    file: 'client/replica/apply-page.ts',
    edits: [{ find: "if (state.cursor !== asked.cursor) return 'stale'", replace: '' }],
  },
  {
    name: 'a page older than an acknowledgement is applied',
    seed: 37,
    file: 'client/replica/apply-page.ts',
    edits: [{ find: "if (state.acknowledged !== asked.acknowledged) return 'stale'", replace: '' }],
  },
  {
    name: 'the words of a discarded entry stay in the base of the next',
    seed: 17,
    file: 'client/outbox/outbox.ts',
    edits: [
      {
        find: '  for (const later of laterOnes) {',
        replace: '  for (const later of [] as OutboxEntry[]) {',
      },
    ],
  },
  {
    name: 'rows and cursor are written in two transactions',
    seed: 0,
    file: 'client/replica/apply-page.ts',
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
    seed: 2,
    file: 'client/replica/apply-page.ts',
    edits: [
      { find: 'const left = present.filter((uid) => !kept.has(uid))', replace: 'const left: string[] = []' },
    ],
  },
  {
    name: 'deletions are ignored',
    seed: 0,
    file: 'client/replica/apply-page.ts',
    edits: [{ find: 'const left = changes.flatMap(deletedUid)', replace: 'const left: string[] = []' }],
  },
  {
    name: 'the epoch is not checked',
    seed: 35,
    file: 'server/change-feed.ts',
    edits: [{ find: 'if (cursor.epoch !== clock.epoch) return false', replace: '' }],
  },
  {
    name: 'the tombstone floor is not checked',
    seed: 3,
    file: 'server/change-feed.ts',
    edits: [{ find: 'if (cursor.rev < clock.floor) return false', replace: '' }],
  },
  {
    name: 'a replayed mutation is applied again',
    seed: 23,
    file: 'testing/memory-server.ts',
    edits: [
      {
        find: 'if (before && isRepeated(before, mutation))',
        replace: 'if (false)',
      },
    ],
  },
  {
    name: 'the base revision is not checked',
    seed: 0,
    file: 'server/mutation.ts',
    edits: [
      {
        find: 'baseRev === undefined || hasSeen(baseRev, current)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'a change of older words passes where the server has added something since',
    seed: 0,
    file: 'server/mutation.ts',
    edits: [{ find: 'baseRev >= sameSince && ', replace: '' }],
  },
  {
    name: 'later outbox entries are not rebased after an acknowledged edit',
    seed: 13,
    file: 'client/outbox/outbox.ts',
    edits: [{ find: 'if (isStill) await rebaseLaterEntries(db, entry, row)', replace: '' }],
  },
]

/**
 * Bundles the simulation with a mutant's bug in its source.
 *
 * @throws Error when a `find` does not occur exactly once: the mutant is out of date
 */
export async function simulationOf(mutant: Mutant): Promise<typeof runHistory> {
  const sourceRoot = path.resolve(import.meta.dirname, '..')
  const target = path.join(sourceRoot, mutant.file)
  let isSeeded = false
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'simulation.ts')],
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
  const folder = await mkdtemp(path.join(sourceRoot, '../.mutant-'))
  try {
    const file = path.join(folder, 'simulation.mjs')
    await writeFile(file, outputFiles[0]!.contents)
    const bundle = (await import(/* @vite-ignore */ file)) as { runHistory: typeof runHistory }
    return bundle.runHistory
  } finally {
    await rm(folder, { recursive: true })
  }
}

function mutate(source: string, { name, edits }: Mutant): string {
  return edits.reduce((text, { find, replace }) => {
    if (text.split(find).length !== 2)
      throw new Error(`The mutant "${name}" does not match exactly once: ${find}`)
    return text.replace(find, () => replace)
  }, source)
}
