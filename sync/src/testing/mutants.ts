import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import type { runHistory } from './simulation.ts'

/** A bug put into the product's own source: `find` must stand there exactly once. */
export interface Mutant {
  name: string
  file: string
  edits: readonly { find: string; replace: string }[]
}

/** The nine bugs that were seeded when this was designed; convergence alone has let three of them through. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a stale page is applied',
    file: 'client/replica/apply-page.ts',
    edits: [{ find: "if (state.cursor !== asked) return 'stale'", replace: '' }],
  },
  {
    name: 'rows and cursor in two transactions',
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
    name: 'a snapshot does not sweep',
    file: 'client/replica/apply-page.ts',
    edits: [{ find: 'await table.bulkDelete(present.filter((uid) => !kept.has(uid)))', replace: '' }],
  },
  {
    name: 'deletions are ignored',
    file: 'client/replica/apply-page.ts',
    edits: [{ find: 'await table.bulkDelete(changes.flatMap(deletedUid))', replace: '' }],
  },
  {
    name: 'the epoch is not looked at',
    file: 'server/change-feed.ts',
    edits: [{ find: 'if (cursor.epoch !== clock.epoch) return false', replace: '' }],
  },
  {
    name: 'the floor is not looked at',
    file: 'server/change-feed.ts',
    edits: [{ find: 'if (cursor.rev < clock.floor) return false', replace: '' }],
  },
  {
    name: 'a mutation that was done is done again',
    file: 'server/mutation.ts',
    edits: [
      {
        find: "if (done) return isSameRequest(done, { requestHash, userId }) ? 'replay' : 'idempotency_mismatch'",
        replace: '',
      },
    ],
  },
  {
    name: 'the revision its author saw is not looked at',
    file: 'server/mutation.ts',
    edits: [
      {
        find: "if (baseRev !== undefined && baseRev !== currentRev) return 'revision_conflict'",
        replace: '',
      },
    ],
  },
  {
    name: 'what waits behind an acknowledged edit keeps its old revision',
    file: 'client/outbox/outbox.ts',
    edits: [{ find: 'await rebaseLaterEntries(db, entry, textOf(answer.row), answer.row.rev)', replace: '' }],
  },
]

/**
 * The simulation over sources that carry a bug.
 *
 * @throws Error when an edit finds no place, or more than one: the mutant is out of date
 */
export async function simulationOf(mutant: Mutant): Promise<typeof runHistory> {
  const rooms = path.resolve(import.meta.dirname, '..')
  const target = path.join(rooms, mutant.file)
  let isSeeded = false
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'simulation.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // One copy of each library: the database of the test is the one that stands in for the browser's.
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
  if (!isSeeded) throw new Error(`The mutant "${mutant.name}" names a file that is not there: ${mutant.file}`)
  // Beside the packages, so that the bundle finds them; gone as soon as it is loaded.
  const folder = await mkdtemp(path.join(rooms, '../.mutant-'))
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
      throw new Error(`The mutant "${name}" no longer fits the source: ${find}`)
    return text.replace(find, () => replace)
  }, source)
}
