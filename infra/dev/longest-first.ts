import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first: started last, one of them would run alone on one core. */
const long = [
  'engines.e2e.test.ts',
  'simulation.test.ts',
  'server-histories.pg.test.ts',
  'upload-histories.pg.test.ts',
  'uploads-crash.pg.test.ts',
  'embedded.pg.test.ts',
  'audio-download.test.ts',
  'concurrency.pg.test.ts',
  'mutants.test.ts',
  'saved-audio.e2e.test.ts',
  'accessibility.e2e.test.ts',
  'nothing-lost.e2e.test.ts',
]

/** Starts the slow files first; otherwise vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((name) => moduleId.endsWith(`/${name}`))
      return at === -1 ? long.length : at
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
