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
export const modules = (...ends: readonly string[]) =>
  new RegExp(ends.join('|').replaceAll('/', String.raw`[\\/]`))

const suffix = (name: string) => String.raw`/web/src/.+\.${name}\.tsx?$`
const group = (name: string, ...ends: readonly string[]) => ({ name, test: modules(...ends) })
/** Of its modules, those that two chunks or more need. */
const shared = (name: string, ...ends: readonly string[]) => ({ ...group(name, ...ends), minShareCount: 2 })

/** Excluded from the service worker's precache, as only browsers without storage fetch it. */
export const memoryDatabaseChunk = 'memory-database'

/** Imported by no other chunk. */
export const administrationChunk = 'administration'

export const chunkGroups = [
  group('boot', 'vite/preload-helper', '/src/boot/start.ts$'),
  group('react', 'node_modules/(react|react-dom|scheduler|use-sync-external-store)/'),
  group('router', '@tanstack/(react-router|router-core|history|react-store|store)/'),
  group('site', '/web/src/(site|router).tsx$'),
  shared('view', suffix('view'), 'lucide-react/dist/'),
  group('list', suffix('list'), '/(chapters/chapters|teachings/share-link|passages/reference).ts$'),
  shared('words', '/schema/src/(.+.(texts|limits)|push/push-address).ts$'),
  group(memoryDatabaseChunk, 'node_modules/fake-indexeddb/'),
  group('replica', 'node_modules/dexie/', '/teachings/first-rows.ts$'),
  shared('dialogs', '@headlessui/', '/web/src/ui/(?!tooltip|landscape|leaflet)'),
  group('queries', 'node_modules/zod/', '@tanstack/(react-)?query', suffix('queries')),
  group('device', suffix('device')),
  // Before administration, which uses both too: a device with events or written pages loads them without that.
  group('dates-of-events', 'node_modules/rrule/', '/protocol/(occurrences|coming-dates).ts$'),
  group('about', '/written-pages/(about-words|page-words|page-text).tsx?$', '/pages/page-skeleton.tsx$'),
  group('forms', 'node_modules/(react-hook-form|@hookform)/', suffix('form')),
  group(administrationChunk, suffix('admin')),
]
