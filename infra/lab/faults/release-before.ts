import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

const root = path.resolve(import.meta.dirname, '../../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** A release of the product that was built from its own sources. */
export interface BuiltRelease {
  /** The commit, in short. */
  readonly commit: string
  /** The arguments of Node that run its server. */
  readonly program: readonly string[]
}

/**
 * Checks a commit or tag out beside this one, and builds it with the packages that are installed here. Removed after the tests
 * of the file.
 *
 * @param from 'auto': the commit before the newest migration, so that there is something to migrate
 */
export async function releaseBefore(from: string): Promise<BuiltRelease> {
  const commit = git('rev-parse', '--short', `${from === 'auto' ? `${newestMigration()}^` : from}^{commit}`)
  const parent = await mkdtemp(path.join(tmpdir(), 'release-before-'))
  const folder = path.join(parent, commit)
  afterAll(async () => {
    git('worktree', 'remove', '--force', folder)
    await rm(parent, { recursive: true, force: true })
  })
  git('worktree', 'add', '--detach', folder, commit)
  linkPackages(folder)
  return { commit, program: [build(folder)] }
}

/** This release, built unless it is. */
export const releaseHere = (): BuiltRelease => ({
  commit: git('rev-parse', '--short', 'HEAD'),
  program: [build(root)],
})

const newestMigration = () => git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'api/migrations')

/** Its own workspaces, and everything else from here. */
function linkPackages(folder: string): void {
  const [from, to] = [path.join(root, 'node_modules'), path.join(folder, 'node_modules')]
  mkdirSync(to)
  for (const name of readdirSync(from))
    if (name !== '@fellowship') symlinkSync(path.join(from, name), path.join(to, name))
  cpSync(path.join(from, '@fellowship'), path.join(to, '@fellowship'), {
    recursive: true,
    verbatimSymlinks: true,
  })
}

/** @returns the server */
function build(folder: string): string {
  const args = ['--import', 'tsx', 'infra/dev/build.ts', '--if-needed']
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return path.join(folder, 'api/dist/main.mjs')
}
