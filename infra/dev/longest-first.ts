import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A worker continues with the next file only if that is of the same project; else another one starts, with modules and a
 * browser of its own. So the projects follow each other, but for the two files that keep a worker busy for minutes.
 */
const projects = ['e2e', 'pg', 'unit', 'alone', 'web']
const first = ['simulation.test.ts', 'device-simulation.test.ts']

/** The slowest files of their projects: started last, one of them would run alone on one core. */
const long = [
  'engines.e2e.test.ts',
  'nothing-lost.e2e.test.ts',
  'saved-audio.e2e.test.ts',
  'accessibility.e2e.test.ts',
  'copies.e2e.test.ts',
  'updates.e2e.test.ts',
  'large-text.e2e.test.ts',
  'navigation.e2e.test.ts',
  'hostile-files.pg.test.ts',
  'server-histories.pg.test.ts',
  'storage-move.pg.test.ts',
  'watch-answers.pg.test.ts',
  'upload-histories.pg.test.ts',
  'several-processes.pg.test.ts',
  'end-while-hanging.pg.test.ts',
  'small-copy.test.ts',
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
