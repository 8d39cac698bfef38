import { addressModule, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import type { Plugin, Rolldown } from 'vite'
import { chunksOf, importedBy, moduleChunk } from './static-imports.ts'

/** A chunk of a library that a prerendered page loads once it is hydrated. */
const isHeavy = ({ fileName }: Rolldown.OutputChunk) =>
  /assets\/(?:calls|replica|device|work|query|dialogs|forms)-/.test(fileName)

/**
 * Fails the build where a prerendered page would have to load a large library before it is hydrated. A small module is
 * easily grouped with a large one, and takes it along into every page that imports the small one.
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
      const told = [...new Set(faults)].join('\n')
      throw new Error(
        `A prerendered page would wait for a large library. Import it dynamically, or name the small module in web/chunks.ts:\n${told}`,
      )
    },
  }
}
