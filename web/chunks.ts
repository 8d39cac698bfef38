/*
 * Which modules share a chunk. The service worker fetches and caches every chunk by itself, and each costs an opening page
 * a millisecond of its main thread: small modules that are used together are one; what only some visitors need is apart from
 * what all need. A group includes the dependencies of its modules that no group of a higher priority, or named earlier, has.
 */

/** Matches modules by the ends of their paths: parts of a regular expression, with '/' for any separator. */
const modules = (...paths: readonly string[]) =>
  new RegExp(
    paths
      .map((end) => `(?:${end})`)
      .join('|')
      .replaceAll('/', String.raw`[\\/]`),
  )

/** The large libraries of every page: two chunks that stay cached when the site is updated. */
const react = modules('node_modules/(react|react-dom|scheduler|use-sync-external-store)/')
const router = modules('node_modules/@tanstack/(react-router|router-core|history|react-store|store)/')
/** What runs first. */
const boot = modules(
  'vite/preload-helper',
  String.raw`src/lib/class-names\.ts`,
  String.raw`src/boot/(start|content-painted|prerender-data|first-interaction)\.ts`,
  String.raw`schema/src/(church|pages/prerender-data)\.ts`,
)
/** The replica, with what reads it. */
const replica = modules(
  'node_modules/dexie/',
  String.raw`sync/src/client/(database/[\w-]+|replica/(sync-state|teachings\.store))\.ts`,
  String.raw`features/teachings/first-rows\.ts`,
)
/** The frame around every page. */
const site = modules(String.raw`src/(site|router)\.tsx$`)
/** Small modules that several pages share; none of them imports a large one. */
const parts = modules(
  'lucide-react/dist',
  String.raw`src/ui/(badge|banner|card|empty-state|field|online-only|scroll-region)\.tsx`,
  String.raw`src/features/([\w-]+/){1,2}[\w-]+\.timings\.ts`,
  String.raw`src/features/uploads/recording-fields\.tsx`,
  String.raw`src/features/passages/(scripture-text|use-passages)\.tsx?`,
  String.raw`src/features/sync/(status-words|use-device-sync)\.ts`,
  String.raw`src/features/teachings/(library|use-library|teaching-link)\.tsx?`,
  String.raw`src/layout/comfort-control\.tsx`,
  String.raw`src/boot/first-data\.ts`,
  String.raw`src/lib/(busy|lazy-store|clock-time|file-size|home-screen|left-moments|page-title|sign-in-address|use-online)\.ts`,
  String.raw`schema/src/(dates|copies/sound-address|elders/elder-photo|listening/listening-(position|marks)|visit/visit-details)\.ts`,
  // Scripture references, how words are compared, and the addresses that are made of them.
  String.raw`schema/src/(scripture|scripture-books|text-folding|passages/reference)\.ts`,
  String.raw`schema/src/teachings/(name-slug|share-link|shown-title|teaching-address|teaching-facets)\.ts`,
  // Texts and limits of what is seen without signing in.
  String.raw`schema/src/(elders|map|passages|series|teachings)/[\w-]+\.(texts|limits)\.ts`,
  String.raw`schema/src/(sync/outbox\.texts|uploads/uploads\.(texts|limits))\.ts`,
  String.raw`call-error\.ts`,
  String.raw`audio-address\.ts`,
  String.raw`tab-channel\.ts`,
)
/** The player, without what only an open row shows. */
const player = modules(
  String.raw`src/features/audio/player/(player|player-(effects|events|loading|reducer|state)|recording-of|use-player)\.ts|src/features/audio/player/play-disc\.tsx`,
  String.raw`src/features/audio/(recording-choice|saved/saved)\.ts`,
  String.raw`src/features/listening/positions\.ts`,
)
/** A row of the library with what it opens, and the search. */
const rows = modules(
  String.raw`src/pages/use-rows\.tsx`,
  String.raw`src/features/teachings/(teaching-row|share-button)\.tsx`,
  String.raw`src/features/audio/player/(inline-player|player-controls|playback-notes|speed-select)\.tsx`,
  String.raw`src/features/audio/saved/(needs-connection|save-control|saved-rows)\.tsx?`,
  String.raw`src/features/listening/(marks|row-more)\.tsx?`,
  String.raw`schema/src/teachings/teaching-search\.ts`,
)
/** Texts and limits of forms. */
const words = modules(String.raw`schema/src/(problem|[\w-]+/[\w-]+\.(texts|limits))\.ts`)
/** Libraries that several lazy modules use: a chunk each. */
const query = modules(
  'node_modules/@tanstack/(react-query|query-core)/',
  String.raw`src/lib/query-client\.ts`,
)
const dialogs = modules(
  'node_modules/(@headlessui|@react-aria|@react-stately|@floating-ui|tabbable)/',
  String.raw`src/ui/(modal|dialog|confirm-dialog|form-dialog|file-input|dropdown-panel)\.tsx`,
)
/** Who is signed in. */
const person = modules(String.raw`src/features/auth/(auth\.queries|remembered-user|admin-only)\.tsx?`)
/** The API client, contracts and schemas. */
const calls = modules(
  'node_modules/zod/',
  String.raw`schema/src/(.+\.(contract|schema)|plain-text)\.ts`,
  'sync/src/call/',
)
/** Sync of the replica, and the outbox. */
const device = modules(
  'node_modules/@noble/',
  String.raw`sync/src/protocol/.+\.ts`,
  String.raw`sync/src/client/(replica/(sync-session|pull|apply-page|(elders|passages)\.store)|outbox/outbox)\.ts`,
  String.raw`src/features/[\w-]+/((teachings|elders|passages)-device|device-sync)\.ts`,
)
/** For browsers that store nothing for the site; no other one fetches it. */
const memoryDatabase = modules('node_modules/fake-indexeddb/')
/** What sends queued changes, uploads, and saves recordings. */
const work = modules(
  'node_modules/dexie-react-hooks/',
  'sync/src/client/(?!worker-messages)',
  String.raw`src/features/([\w-]+/){1,2}([\w-]+-device|unsent-work)\.ts`,
  String.raw`src/features/(uploads/copy-(file|request)|sync/(page-queues|hold-while-unsent))\.ts`,
)
const elders = modules(
  String.raw`src/features/elders/(elder-list|elder-card|elder-picture|use-elders|scroll-to-elder)\.tsx?`,
)
/** Sign-in and password forms, with the library for forms. */
const forms = modules(
  'node_modules/(react-hook-form|@hookform)/',
  String.raw`src/features/auth/(register-form|sign-in-form|sign-in-panel|reset-forms|password-advice|verify-email-card)\.tsx`,
  String.raw`src/pages/(reset-password|verify-email)\.tsx`,
)
/** One chunk for all tabs of administration and the list of users. */
const administration = modules(
  String.raw`src/pages/manage\.tsx`,
  String.raw`src/features/(audit|backup|inbox|system|processes|sftp|feed|users)/.+\.tsx?`,
  String.raw`src/features/elders/elder-(admin|management|photo-field).*\.tsx?`,
  String.raw`src/features/passages/passage-list\.tsx`,
  String.raw`src/features/teachings/(teaching-bin|bin\.queries)\.tsx?`,
  String.raw`src/features/series/series-bin.*\.tsx?`,
  String.raw`src/lib/admin-query\.ts`,
  String.raw`src/ui/(section|load-failure|health-list|copy-button)\.tsx`,
)

/** Left out of the service worker's precache. */
export const memoryDatabaseChunk = 'memory-database'

export const chunkGroups = [
  { name: 'boot', test: boot, priority: 4 },
  { name: 'react', test: react, priority: 3 },
  { name: 'router', test: router, priority: 3 },
  { name: 'site', test: site, priority: 2 },
  { name: 'replica', test: replica, priority: 2 },
  { name: 'parts', test: parts, priority: 2, minShareCount: 2 },
  { name: 'player', test: player, priority: 2 },
  { name: 'rows', test: rows, priority: 1 },
  { name: 'words', test: words, priority: 1, minShareCount: 2 },
  { name: 'query', test: query, priority: 1, minShareCount: 2 },
  { name: 'dialogs', test: dialogs, priority: 1, minShareCount: 2 },
  { name: 'calls', test: calls, priority: 1, minShareCount: 2 },
  { name: memoryDatabaseChunk, test: memoryDatabase, priority: 3 },
  { name: 'device', test: device, priority: 1 },
  { name: 'work', test: work },
  { name: 'elders', test: elders, priority: 1, minShareCount: 2 },
  { name: 'person', test: person },
  { name: 'forms', test: forms },
  { name: 'administration', test: administration },
]
