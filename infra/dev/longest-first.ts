import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A worker continues with the next file only if that is of the same project; else another one starts, with modules and a
 * browser of its own. So the projects follow each other, but for the file that keeps a worker busy for minutes.
 */
const projects = ['e2e', 'pg', 'unit', 'alone', 'web']
const first = ['device-simulation.test.ts']

/** The slowest files of their projects: started last, one of them would run alone on one core. */
const long = [
  'engines.e2e.test.ts',
  'copies.e2e.test.ts',
  'accessibility.e2e.test.ts',
  'nothing-lost.e2e.test.ts',
  'listening.e2e.test.ts',
  'offline.e2e.test.ts',
  'saved-audio.e2e.test.ts',
  'updates.e2e.test.ts',
  'sftp.e2e.test.ts',
  'series.e2e.test.ts',
  'library.e2e.test.ts',
  'hostile-files.pg.test.ts',
  'watch-answers.pg.test.ts',
  'embedded.pg.test.ts',
  'several-processes.pg.test.ts',
  'audio-in-bucket.pg.test.ts',
  'trimming.pg.test.ts',
  'database-history.pg.test.ts',
  'server-histories.pg.test.ts',
  'sftp-crash.pg.test.ts',
  'storage-move.pg.test.ts',
  'sftp-clients.pg.test.ts',
  'end-while-hanging.pg.test.ts',
  'cheap-questions.pg.test.ts',
  'uploads-crash.pg.test.ts',
  'upload-histories.pg.test.ts',
  'small-copy.test.ts',
  'audio-reader.test.ts',
  'start-failure.test.ts',
  'said-on-screen.web.test.tsx',
  'held-dialogs.web.test.tsx',
  'listening-keeping.web.test.tsx',
]

/** Project by project, the slow files of each first; otherwise in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const places = new Map(sorted.map((file) => [file, place(file)]))
    return sorted.sort((a, b) => places.get(a)! - places.get(b)!)
  }
}

function place({ moduleId, project }: TestSpecification): number {
  const name = path.basename(moduleId)
  if (first.includes(name)) return 0
  const at = long.indexOf(name)
  return (projects.indexOf(project.name) + 1) * 100 + (at === -1 ? long.length : at)
}
