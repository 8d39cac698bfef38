import { addressModule, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import type { Plugin } from 'vite'
import { chunksOf, importedBy, moduleChunk } from './static-imports.ts'

/** Browsers with support for it compile a whole file as it arrives, off the main thread of the page. */
const hint = '//# allFunctionsCalledOnLoad\n'

/**
 * Puts the hint before the scripts that a prerendered page runs while it opens. Without it each function is compiled on
 * the main thread when it is first called.
 */
export function compileWhole(): Plugin {
  return {
    name: 'compile-whole',
    apply: 'build',
    generateBundle: {
      // After the build has put its own lines first.
      order: 'post',
      handler(_options, bundle) {
        const chunks = chunksOf(bundle)
        const starts = [
          'main',
          ...[...Object.values(prerenderedModules), addressModule].map((page) => `pages/${page}`),
        ]
        const opening = new Set(starts.flatMap((module) => importedBy(moduleChunk(chunks, module), chunks)))
        for (const chunk of opening) chunk.code = hint + chunk.code
      },
    },
  }
}
