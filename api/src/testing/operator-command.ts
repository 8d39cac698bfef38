import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

/** The arguments of Node that run a command of the operator from the root: built when `npm test` has built it, else its source. */
export const operatorCommand = (name: string, args: readonly string[]): string[] =>
  process.env['TEST_BUILT'] === '1'
    ? [path.join(root, `api/dist/${name}.mjs`), ...args]
    : ['--import', 'tsx', path.join(root, `infra/dev/${name}.ts`), ...args]
