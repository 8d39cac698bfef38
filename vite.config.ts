import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import reactPlugin from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { chunkGroups, memoryDatabaseChunk } from './web/chunks.ts'
import { compileWhole } from './web/compile-whole.ts'
import { keepPagesLight } from './web/light-pages.ts'
import { macronFonts } from './web/macron-fonts.ts'
import { precacheIntegrity } from './web/integrity.ts'
import { manifest } from './web/manifest.ts'
import { preloadFonts, preloadScripts } from './web/preloads.ts'

const web = path.join(import.meta.dirname, 'web')
/** The address of the API for `npm run dev`; the proxy gives the browser one origin. */
const api = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:3000'
const proxied = [
  '/api',
  '/audio',
  '/images',
  '/covers',
  '/icons',
  '/artwork',
  '/feed.xml',
  '/sitemap.xml',
  '/robots.txt',
  '^/(speakers|books)/[^/]+/feed\\.xml',
]

const firstParts = /assets\/(?:boot|main|react|rolldown-runtime|router|site)-/

const integrity = precacheIntegrity()

export default defineConfig({
  root: web,
  // React has this hook since 18, so the shim for older versions would only add to the first load.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  // If no asset is inlined, the Content-Security-Policy needs no `data:`.
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // If a chunk is in the first load of every page, other chunks need not preload it.
      resolveDependencies: (_file, parts, { hostType }) =>
        hostType === 'js' ? parts.filter((part) => !firstParts.test(part)) : parts,
    },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
  },
  server: { proxy: Object.fromEntries(proxied.map((route) => [route, { target: api, xfwd: true }])) },
  plugins: [
    reactPlugin(),
    macronFonts(),
    tailwindcss(),
    integrity.plugin,
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/sw',
      filename: 'service-worker.ts',
      // Registered by features/sync/app-update, which decides when a new version may take over.
      injectRegister: false,
      manifest,
      injectManifest: {
        globPatterns: ['**/*.{js,css,html,svg,woff2}'],
        globIgnores: [
          'screenshots/**',
          'assets/*-latin-ext-*',
          'assets/sound.worker-*.js',
          `assets/${memoryDatabaseChunk}-*.js`,
        ],
        maximumFileSizeToCacheInBytes: 4 * 1024 * 1024,
        manifestTransforms: [integrity.transform],
      },
    }),
    keepPagesLight(),
    compileWhole(),
    preloadScripts(),
    preloadFonts(['inter-latin-wght-normal', 'source-serif-4-latin-wght-normal']),
  ],
})
