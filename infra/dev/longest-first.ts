import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A worker that changes to another project starts anew, so the projects follow each other: those in browsers first. Beside those
 * that wait for databases, disks and timers, those that calculate have a core.
 */
const projects = ['e2e', 'own-time', 'pg', 'unit', 'web']

/** Starts with its project's neighbour, not with its own: it calculates for minutes. */
const earlier = 'simulation.test.ts'

/** The slowest test files of a project, first: started last, one of them would run alone on one core. */
const long = [
  'engines.e2e.test.ts',
  'nothing-lost.e2e.test.ts',
  'accessibility.e2e.test.ts',
  'navigation.e2e.test.ts',
  'saved-audio.e2e.test.ts',
  'copies.e2e.test.ts',
  'offline.e2e.test.ts',
  'updates.e2e.test.ts',
  'sftp.e2e.test.ts',
  'device-simulation.test.ts',
  'server-histories.pg.test.ts',
  'hostile-files.pg.test.ts',
  'watch-answers.pg.test.ts',
  'shelf-move.pg.test.ts',
  'upload-histories.pg.test.ts',
  'end-while-hanging.pg.test.ts',
  'small-copy.test.ts',
]

/** One project after the other, and of each the slow files first; otherwise in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId, project }: TestSpecification) => {
      const isEarlier = moduleId.endsWith(`/${earlier}`)
      const group = isEarlier ? projects.indexOf('own-time') : projects.indexOf(project.name)
      const at = long.findIndex((name) => moduleId.endsWith(`/${name}`))
      return group * (long.length + 2) + (isEarlier ? 0 : at === -1 ? long.length + 1 : at + 1)
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
