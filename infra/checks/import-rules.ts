import path from 'node:path'
import {
  featureLadder,
  homes,
  layers,
  rooms,
  testRooms,
  webFeatureLadder,
  webFeaturesForAll,
} from './import-rooms.ts'
import { importsOf, isSource, isTest, type SourceTree } from './source-tree.ts'

/** Which packages a workspace declares, by the folder of its package.json. */
export type Declared = Readonly<Record<string, readonly string[]>>

/** A forbidden import, as 'file → import: reason'. */
export type Violation = string

/**
 * Every import that breaks the import directions. Type imports count. `exists` returns whether a file without source code
 * (a stylesheet, a WebAssembly module) exists.
 */
export function importViolations(
  tree: SourceTree,
  declared: Declared,
  exists: (file: string) => boolean = () => false,
): Violation[] {
  const edges = new Map<string, string[]>()
  const violations: Violation[] = []
  for (const [file, source] of tree) {
    const targets: string[] = []
    for (const specifier of importsOf(file, source)) {
      const target = resolve(file, specifier)
      const why =
        target.own === undefined
          ? refusePackage(file, target.package, declared)
          : refuseFile(file, target.own)
      if (why !== undefined) violations.push(`${file} → ${specifier}: ${why}`)
      if (target.own !== undefined) targets.push(target.own)
    }
    edges.set(file, targets)
  }
  return [...violations, ...cycles(edges)]

  function refuseFile(file: string, target: string): string | undefined {
    // The tree leaves out fixtures, of which one is a program.
    const isFixture = target.includes('/fixtures/')
    if (!tree.has(target) && ((isSource(target) && !isFixture) || !exists(target)))
      return 'there is no such file'
    const room = (isTest(file) ? testRooms : rooms).find(({ path: own }) => own.test(file))
    if (!room) return 'this folder is no room'
    if (!room.mayImport.test(target)) return room.because
    if (isTest(file) || file.startsWith('infra/')) return undefined
    if (isTest(target)) return 'testing is for tests'
    const layer = layers.find(({ from, to }) => from.test(file) && to.test(target))
    return layer?.because ?? refuseApiFeature(file, target) ?? refuseWebFeature(file, target)
  }
}

/** A path in the tree, or a package name. Workspace packages such as '@fellowship/schema/x' are paths. */
function resolve(
  file: string,
  specifier: string,
): { own: string; package?: never } | { own?: never; package: string } {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
    return { own: path.posix.join(path.posix.dirname(file), specifier.replace(/\?.*$/, '')) }
  }
  const [, workspace, inside] = /^@fellowship\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (workspace === undefined)
    return {
      package: specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    }
  const folder = ['schema', 'sound'].includes(workspace) ? `packages/${workspace}` : workspace
  return { own: `${folder}/src/${inside ?? ''}.ts` }
}

function refusePackage(file: string, name: string, declared: Declared): string | undefined {
  if (name.startsWith('node:')) return isPure(file) && !isTest(file) ? 'pure rooms know no Node' : undefined
  if (name.startsWith('virtual:')) return undefined
  const room = (isTest(file) ? testRooms : rooms).find(({ path: own }) => own.test(file))
  if (room?.packages && !room.packages.test(name)) return room.because
  const home = homes[name]
  if (home && !home.test(file) && !isTest(file) && !file.startsWith('infra/'))
    return `its home is ${home.source}`
  const workspace =
    Object.keys(declared).find((folder) => folder !== '' && file.startsWith(`${folder}/`)) ?? ''
  const known = [...(declared[workspace] ?? []), ...(declared[''] ?? [])]
  return known.includes(name) ? undefined : `${workspace}/package.json does not declare it`
}

const isPure = (file: string) => /^(?:packages\/\w+|sync)\/src\//.test(file)

function refuseApiFeature(file: string, target: string): string | undefined {
  const [from, to] = [featureIn('api', file), featureIn('api', target)]
  if (from === undefined || to === undefined || from === to) return undefined
  const allowed = featureLadder[from] ?? []
  if (allowed !== 'any' && !allowed.includes(to))
    return `${from} may not import ${to}: it is not above it in the layers`
  return target === `api/src/features/${to}/${to}.ts` ? undefined : `the entry file of ${to} is ${to}.ts`
}

function refuseWebFeature(file: string, target: string): string | undefined {
  const [from, to] = [featureIn('web', file), featureIn('web', target)]
  if (from === undefined || to === undefined || from === to || webFeaturesForAll.includes(to))
    return undefined
  if (webFeatureLadder[from]?.includes(to)) return undefined
  return `a page composes ${from} and ${to}; a feature asks ${webFeaturesForAll.join(', ')} alone`
}

const featureIn = (workspace: string, file: string): string | undefined =>
  new RegExp(`^${workspace}/src/features/([\\w-]+)/`).exec(file)?.[1]

/** Import cycles, each once, starting at its alphabetically first file. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): Violation[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const stack: string[] = []
  const onStack = new Set<string>()

  for (const file of [...edges.keys()].sort()) follow(file)
  return [...found]

  function follow(file: string): void {
    if (onStack.has(file)) found.add(circle(stack.slice(stack.indexOf(file))))
    if (onStack.has(file) || done.has(file)) return
    stack.push(file)
    onStack.add(file)
    for (const target of edges.get(file) ?? []) follow(target)
    stack.pop()
    onStack.delete(file)
    done.add(file)
  }
}

function circle(files: readonly string[]): Violation {
  const first = files.indexOf([...files].sort()[0]!)
  const turned = [...files.slice(first), ...files.slice(0, first)]
  return `${[...turned, turned[0]].join(' → ')}: a circle of imports`
}
