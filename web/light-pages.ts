import { addressModule, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import type { Plugin, Rolldown } from 'vite'
import { heavyPackages } from './chunks.ts'
import { chunksOf, importedBy, moduleChunk } from './static-imports.ts'

const isHeavy = ({ modules }: Rolldown.OutputChunk) =>
  Object.keys(modules).some((id) => heavyPackages.test(id))

/**
 * Fails the build if a prerendered page would load a large package before it is hydrated. A small module is easily grouped
 * with a large package, and adds it to every page that imports the small one.
 */
export function keepPagesLight(): Plugin {
  return {
    name: 'keep-pages-light',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = chunksOf(bundle)
      const heavy = new Set(
        [...chunks.values()].filter(isHeavy).flatMap(({ modules }) => Object.keys(modules)),
      )
      const faults = [...Object.values(prerenderedModules), addressModule]
        .flatMap((page) => importedBy(moduleChunk(chunks, `pages/${page}`), chunks, isHeavy))
        .filter((chunk) => !isHeavy(chunk))
        .flatMap(({ modules }) => Object.keys(modules))
        .flatMap((id) => (this.getModuleInfo(id)?.importedIds ?? []).map((imported) => ({ id, imported })))
        .filter(({ imported }) => heavy.has(imported))
        .map(({ id, imported }) => `${id} imports ${imported}`)
      if (faults.length === 0) return
      throw new Error(
        `A prerendered page would load a large package before it is hydrated. Import it dynamically, or add .view or .list to the name of the small module (see web/chunks.ts):\n${[...new Set(faults)].join('\n')}`,
      )
    },
  }
}
