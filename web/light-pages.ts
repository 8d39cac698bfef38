import { addressModule, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import type { Plugin, Rolldown } from 'vite'
import { administrationChunk, modules } from './chunks.ts'
import { chunksOf, importedBy, moduleChunk } from './static-imports.ts'

type Chunk = Rolldown.OutputChunk

/** Packages that a prerendered page loads when it is hydrated. */
const heavyPackages = modules(
  'node_modules/(dexie|zod|@noble|react-hook-form|@headlessui|@tanstack/query-core)/',
)
const isHeavy = ({ modules }: Chunk) => Object.keys(modules).some((id) => heavyPackages.test(id))
const isAdministration = ({ fileName }: Chunk) => fileName.includes(`/${administrationChunk}-`)

/**
 * Fails the build if a prerendered page would load a large package before it is hydrated, or if any part would load the
 * administration. If a small module is grouped with a large one, every importer of the small one loads both.
 */
export function keepPagesLight(): Plugin {
  return {
    name: 'keep-pages-light',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = chunksOf(bundle)
      const pages = [...Object.values(prerenderedModules), addressModule].flatMap((page) =>
        importedBy(moduleChunk(chunks, `pages/${page}`), chunks, isHeavy),
      )
      /** Imports from these chunks into chunks that they must not load. */
      const imports = (from: readonly Chunk[], isBarred: (chunk: Chunk) => boolean) => {
        const barred = new Set(
          [...chunks.values()].filter(isBarred).flatMap(({ modules }) => Object.keys(modules)),
        )
        return from
          .filter((chunk) => !isBarred(chunk))
          .flatMap(({ modules }) => Object.keys(modules))
          .flatMap((id) => (this.getModuleInfo(id)?.importedIds ?? []).map((imported) => ({ id, imported })))
          .filter(({ imported }) => barred.has(imported))
          .map(({ id, imported }) => `${id} imports ${imported}`)
      }
      const faults = new Set([...imports(pages, isHeavy), ...imports([...chunks.values()], isAdministration)])
      if (faults.size === 0) return
      throw new Error(
        `A page would load a large package before it is hydrated, or the administration. Import it dynamically, or give the small module the suffix of an earlier chunk (see web/chunks.ts):\n${[...faults].join('\n')}`,
      )
    },
  }
}
