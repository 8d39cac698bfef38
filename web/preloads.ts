import { addressModule, partRelation, prerenderedModules } from '@fellowship/schema/pages/prerender-data'
import path from 'node:path'
import type { HtmlTagDescriptor, Plugin } from 'vite'
import { chunksOf, importedBy, moduleChunk } from './static-imports.ts'

/** Preloads the two fonts of the first screen together with the script, so that text does not shift late. */
export function preloadFonts(names: readonly string[]): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => names.some((name) => path.basename(file).startsWith(`${name}-`)))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
            injectTo: 'head' as const,
          })),
    },
  }
}

/**
 * Preloads the imports of the entry script, which saves a page a round of requests. Lists the imports of each
 * prerendered page too, of which the server preloads only those of the requested page.
 */
export function preloadScripts(): Plugin {
  return {
    name: 'preload-scripts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = chunksOf(bundle)
        const needs = (module: string) =>
          importedBy(moduleChunk(chunks, module), chunks).map(({ fileName }) => fileName)
        const start = needs('main')
        const pages = [...Object.values(prerenderedModules), addressModule]
        return [
          ...start
            .filter((file) => !html.includes(`"/${file}"`))
            .map((file) => scriptLink('modulepreload', file)),
          ...pages.flatMap((page) =>
            needs(`pages/${page}`)
              .filter((file) => !start.includes(file) && !html.includes(`"/${file}"`))
              .map((file) => scriptLink(partRelation(page), file)),
          ),
        ]
      },
    },
  }
}

const scriptLink = (rel: string, file: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel, crossorigin: '', href: `/${file}` },
  injectTo: 'head',
})
