/*
 * A file's suffix decides its chunk, by the phase of the load that first needs it. A chunk includes the dependencies of its
 * modules that no earlier chunk has, so that it imports earlier ones only. A file without a suffix joins its importer.
 *
 * .view     Shown first by the home page and by another page.
 * .list     Shown first by pages that list teachings.
 * .queries  Reads from the server while online.
 * .device   Reads and writes the database of the device, syncs it, sends queued changes.
 * .form     Forms of users and of administrators.
 * .admin    Administration.
 *
 * The service worker fetches and caches each chunk by itself, and each costs an opening page a millisecond of its main
 * thread: small modules that are used together share a chunk.
 */

/** Matches the ends of module paths: parts of a regular expression, with '/' for any separator. */
const modules = (...ends: readonly string[]) => new RegExp(ends.join('|').replaceAll('/', String.raw`[\\/]`))

const suffix = (name: string) => String.raw`/web/src/.+\.${name}\.tsx?$`

/** Excluded from the service worker's precache, as only browsers without storage fetch it. */
export const memoryDatabaseChunk = 'memory-database'

/** Imported by no other chunk. */
export const administrationChunk = 'administration'

/** Packages that a prerendered page loads when it is hydrated. */
export const heavyPackages = modules(
  'node_modules/(dexie|zod|@noble|react-hook-form|@headlessui|@tanstack/query-core)/',
)

export const chunkGroups = [
  { name: 'boot', test: modules('vite/preload-helper', '/src/boot/start.ts$') },
  { name: 'react', test: modules('node_modules/(react|react-dom|scheduler|use-sync-external-store)/') },
  { name: 'router', test: modules('@tanstack/(react-router|router-core|history|react-store|store)/') },
  { name: 'site', test: modules('/web/src/(site|router).tsx$') },
  { name: 'view', test: modules(suffix('view'), 'lucide-react/dist/'), minShareCount: 2 },
  {
    name: 'list',
    test: modules(suffix('list'), '/(chapters/chapters|teachings/share-link|passages/reference).ts$'),
  },
  { name: 'words', test: modules('/schema/src/(.+.(texts|limits)|push/push-address).ts$'), minShareCount: 2 },
  { name: memoryDatabaseChunk, test: modules('node_modules/fake-indexeddb/') },
  { name: 'replica', test: modules('node_modules/dexie/', '/teachings/first-rows.ts$') },
  {
    name: 'dialogs',
    test: modules('@headlessui/', '/web/src/ui/(?!tooltip|landscape|leaflet)'),
    minShareCount: 2,
  },
  { name: 'queries', test: modules('node_modules/zod/', '@tanstack/(react-)?query', suffix('queries')) },
  { name: 'device', test: modules(suffix('device')) },
  // Before administration, which uses it too: a device with events loads it without that.
  {
    name: 'dates-of-events',
    test: modules('node_modules/rrule/', '/protocol/(occurrences|coming-dates).ts$'),
  },
  // As those: the editor previews the pages.
  {
    name: 'about',
    test: modules(
      '/written-pages/(about|page)-words.tsx$',
      '/written-pages/page-text.ts$',
      '/web/src/pages/page-skeleton.tsx$',
    ),
  },
  { name: 'forms', test: modules('node_modules/(react-hook-form|@hookform)/', suffix('form')) },
  { name: administrationChunk, test: modules(suffix('admin')) },
]
