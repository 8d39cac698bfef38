import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'

/** Adds its digest to each precached file, but for the page, to which the server adds tags. */
export function precacheIntegrity() {
  let folder = ''
  const plugin: Plugin = {
    name: 'precache-integrity',
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir)
    },
  }
  return {
    plugin,
    transform: async <Entry extends { url: string }>(entries: Entry[]) => {
      // The server fills in the manifest, which only browsers with a connection ask for.
      const kept = entries.filter(({ url }) => !url.endsWith('.webmanifest'))
      const manifest = await Promise.all(
        kept.map(async (entry) => {
          if (entry.url.endsWith('.html')) return entry
          const bytes = await readFile(path.join(folder, entry.url))
          return { ...entry, integrity: `sha256-${createHash('sha256').update(bytes).digest('base64')}` }
        }),
      )
      return { manifest }
    },
  }
}
