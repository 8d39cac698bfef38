import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import reactPlugin from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { manifest } from './web/manifest.ts'

const web = path.join(import.meta.dirname, 'web')
/** Where `npm run dev` serves the API; the browser sees one origin. */
const api = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:3000'
const proxied = ['/api', '/audio', '/images', '/feed.xml', '/sitemap.xml', '/robots.txt']

/** What every page stands on and what seldom changes: two files that stay in the cache when the site is updated. */
const react = /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/
const router = /node_modules[\\/]@tanstack[\\/](react-router|router-core|history|react-store|store)[\\/]/
/** What runs before it. */
const boot =
  /src[\\/]boot\.ts|vite[\\/]preload-helper|src[\\/]lib[\\/](class-names|first-content|first-data|first-reading)\.ts|schema[\\/]src[\\/](church|feed[\\/]first-data)\.ts/
/** The device's copy, with what reads it. */
const replica =
  /node_modules[\\/]dexie[\\/]|sync[\\/]src[\\/]client[\\/](database|audio-database-name|sync-state|teachings\.store)\.ts/
/** What stands around every page, with what it is made of: small things of which a file each would weigh more. */
const site = /src[\\/](site|router)\.tsx$/
/** Small things that several pages have in common; none of them leads to a large one. */
const parts =
  /lucide-react[\\/]dist|src[\\/](ui[\\/](badge|banner|card|empty-state|field|online-only|recording-fields|scroll-region)|features[\\/]teachings[\\/]shown-title|lib[\\/](busy|clock-time|file-size|home-screen|page-title|sign-in-address|use-online))\.tsx?|schema[\\/]src[\\/](dates|(elders|map|passages|teachings)[\\/]\w+\.(texts|limits))\.ts|call-error\.ts|audio-address\.ts/
/** The sentences and numbers of forms. */
const words = /schema[\\/]src[\\/](problem|[\w-]+[\\/][\w-]+\.(texts|limits))\.ts/
/** Libraries that several parts use, each part another piece of them: a file each. */
const query = /node_modules[\\/]@tanstack[\\/](react-query|query-core)[\\/]|src[\\/]lib[\\/]query-client\.ts/
const dialogs =
  /node_modules[\\/](@headlessui|@react-aria|@react-stately|@floating-ui|tabbable)[\\/]|src[\\/]ui[\\/](dialog|confirm-dialog|dropdown-panel)\.tsx/
const hashes = /node_modules[\\/]@noble[\\/]/

const groups = [
  { name: 'boot', test: boot, priority: 4 },
  { name: 'react', test: react, priority: 3 },
  { name: 'router', test: router, priority: 3 },
  { name: 'site', test: site, priority: 2 },
  { name: 'replica', test: replica, priority: 2 },
  { name: 'parts', test: parts, priority: 1, minShareCount: 2 },
  { name: 'words', test: words, priority: 1, minShareCount: 2 },
  { name: 'query', test: query, priority: 1, minShareCount: 2 },
  { name: 'dialogs', test: dialogs, priority: 1, minShareCount: 2 },
  { name: 'hashes', test: hashes, priority: 1, minShareCount: 2 },
]

export default defineConfig({
  root: web,
  // React has had this hook itself since 18: the shim for older ones would be part of everyone's first load.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  // Everything is a file of its own under a hashed name: the Content-Security-Policy needs no `data:` for it.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { proxy: Object.fromEntries(proxied.map((route) => [route, { target: api, xfwd: true }])) },
  plugins: [
    reactPlugin(),
    tailwindcss(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/sw',
      filename: 'service-worker.ts',
      // Registered by features/sync/app-update, which decides when a new version may take over.
      injectRegister: false,
      manifest,
      injectManifest: {
        globPatterns: ['**/*.{js,css,html,svg,woff2}', 'icons/icon-192.png'],
        globIgnores: ['screenshots/**'],
        maximumFileSizeToCacheInBytes: 4 * 1024 * 1024,
      },
    }),
    preloadStart(),
    preloadFonts(['inter-latin-wght-normal', 'source-serif-4-latin-wght-normal']),
  ],
})

/** Asks for the two fonts of the first screen together with the script, so that text settles early. */
function preloadFonts(names: readonly string[]): Plugin {
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

/** Names what the first script will ask for, so that a page that comes from the device has it without another round. */
function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/main.tsx'))
        if (!start) throw new Error('the build has no part of its own for main.tsx')
        const wanted = new Set([start.fileName])
        // What is added while it is gone through has its turn too.
        for (const file of wanted)
          for (const chunk of chunks)
            if (chunk.fileName === file) for (const other of chunk.imports) wanted.add(other)
        const unnamed = [...wanted].filter((file) => !html.includes(`"/${file}"`))
        return unnamed.map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: '', href: `/${file}` },
          injectTo: 'head' as const,
        }))
      },
    },
  }
}
