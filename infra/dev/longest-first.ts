import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files: started last, one of them would run alone on one core. Those that calculate and those that wait for
 * browsers or timers take turns, so that the cores are neither fought over nor idle.
 */
const long = [
  'engines.e2e.test.ts',
  'server-histories.pg.test.ts',
  'nothing-lost.e2e.test.ts',
  'simulation.test.ts',
  'saved-audio.e2e.test.ts',
  'hostile-files.pg.test.ts',
  'accessibility.e2e.test.ts',
  'sftp.e2e.test.ts',
  'upload-histories.pg.test.ts',
  'copies.e2e.test.ts',
  'device-simulation.test.ts',
  'stop.e2e.test.ts',
  'end-while-hanging.pg.test.ts',
  'offline.e2e.test.ts',
  'small-copy.test.ts',
  'updates.e2e.test.ts',
]

/** Starts the slow files first, then those in browsers; otherwise in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = long.findIndex((name) => moduleId.endsWith(`/${name}`))
      return at === -1 ? long.length + (project.name === 'e2e' ? 0 : 1) : at
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
