/*
 * Which modules share a chunk. The service worker fetches and caches every chunk by itself, so small modules that are
 * used together are one; what only some visitors need is apart from what all need. A group includes the dependencies of
 * its modules that no group of a higher priority, or named earlier, has.
 */

/** The large libraries of every page: two chunks that stay cached when the site is updated. */
const react = /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/
const router = /node_modules[\\/]@tanstack[\\/](react-router|router-core|history|react-store|store)[\\/]/
/** What runs first. */
const boot =
  /vite[\\/]preload-helper|src[\\/](lib[\\/]class-names|boot[\\/](start|content-painted|prerender-data|first-interaction))\.ts|schema[\\/]src[\\/](church|pages[\\/]prerender-data)\.ts/
/** The replica, with what reads it. */
const replica =
  /node_modules[\\/]dexie[\\/]|sync[\\/]src[\\/]client[\\/](database[\\/][\w-]+|replica[\\/](sync-state|teachings\.store))\.ts|features[\\/]teachings[\\/]first-rows\.ts/
/** The frame around every page. */
const site = /src[\\/](site|router)\.tsx$/
/** Small modules that several pages share; none of them imports a large one. */
const parts =
  /lucide-react[\\/]dist|src[\\/](ui[\\/](badge|banner|card|empty-state|field|online-only|scroll-region)|features[\\/]([\w-]+[\\/]){1,2}[\w-]+\.timings|features[\\/]uploads[\\/]recording-fields|features[\\/]passages[\\/](scripture-text|use-passages)|features[\\/]sync[\\/](status-words|use-device-sync)|layout[\\/]comfort-control|boot[\\/]first-data|lib[\\/](busy|lazy-store|clock-time|file-size|home-screen|page-title|sign-in-address|use-online))\.tsx?|schema[\\/]src[\\/](dates|listening[\\/]listening-position|elders[\\/]elder-photo|teachings[\\/]shown-title|(elders|map|passages|teachings)[\\/]\w+\.(texts|limits))\.ts|call-error\.ts|audio-address\.ts/
/** Texts and limits of forms. */
const words = /schema[\\/]src[\\/](problem|[\w-]+[\\/][\w-]+\.(texts|limits))\.ts/
/** Libraries that several lazy modules use: a chunk each. */
const query = /node_modules[\\/]@tanstack[\\/](react-query|query-core)[\\/]|src[\\/]lib[\\/]query-client\.ts/
const dialogs =
  /node_modules[\\/](@headlessui|@react-aria|@react-stately|@floating-ui|tabbable)[\\/]|src[\\/]ui[\\/](dialog|confirm-dialog|form-dialog|file-input|dropdown-panel)\.tsx/
/** Scripture references. */
const scripture = /schema[\\/]src[\\/](scripture|scripture-books|passages[\\/]reference)\.ts/
/** How words are compared, and the addresses that are made of them. */
const folding = /schema[\\/]src[\\/](text-folding|teachings[\\/](name-slug|teaching-address|share-link))\.ts/
/** Who is signed in. */
const person = /src[\\/]features[\\/]auth[\\/](auth\.queries|remembered-user|admin-only)\.tsx?/
/** The API client, contracts and schemas. */
const calls =
  /node_modules[\\/]zod[\\/]|schema[\\/]src[\\/](.+\.(contract|schema)|plain-text)\.ts|sync[\\/]src[\\/]call[\\/]/
/** Sync of the replica, and the outbox. */
const device =
  /node_modules[\\/]@noble[\\/]|sync[\\/]src[\\/](protocol[\\/].+|client[\\/](replica[\\/](sync-session|pull|apply-page|(elders|passages)\.store)|outbox[\\/]outbox))\.ts|src[\\/]features[\\/][\w-]+[\\/]((teachings|elders|passages)-device|device-sync)\.ts/
/** For browsers that store nothing for the site; no other one fetches it. */
const memoryDatabase = /node_modules[\\/]fake-indexeddb[\\/]/
/** What sends queued changes, uploads, and saves recordings. */
const work =
  /node_modules[\\/]dexie-react-hooks[\\/]|sync[\\/]src[\\/]client[\\/](?!worker-messages)|src[\\/]features[\\/]([\w-]+[\\/]){1,2}(\w+-device|unsent-work)\.ts|src[\\/]features[\\/](uploads[\\/]copy-(file|request)|sync[\\/](page-queues|hold-while-unsent))\.ts/
const elders =
  /src[\\/]features[\\/]elders[\\/](elder-list|elder-card|elder-picture|use-elders|scroll-to-elder)\.tsx?/
/** Sign-in and password forms, with the library for forms. */
const forms =
  /node_modules[\\/](react-hook-form|@hookform)[\\/]|src[\\/]features[\\/]auth[\\/](register-form|sign-in-form|sign-in-panel|reset-forms|password-advice|verify-email-card)\.tsx|src[\\/]pages[\\/](reset-password|verify-email)\.tsx/
/** One chunk for all tabs of administration and the list of users. */
const administration =
  /src[\\/](pages[\\/]manage|features[\\/](audit|backup|inbox|system|processes|sftp|feed|users)[\\/].+|features[\\/]elders[\\/]elder-(admin|management|photo-field).*|features[\\/]passages[\\/]passage-list|features[\\/]teachings[\\/](teaching-bin|bin\.queries)|features[\\/]series[\\/]series-bin.*|lib[\\/]admin-query|ui[\\/](section|load-failure|health-list|copy-button))\.tsx?/

/** Left out of the service worker's precache. */
export const memoryDatabaseChunk = 'memory-database'

export const chunkGroups = [
  { name: 'boot', test: boot, priority: 4 },
  { name: 'react', test: react, priority: 3 },
  { name: 'router', test: router, priority: 3 },
  { name: 'site', test: site, priority: 2 },
  { name: 'replica', test: replica, priority: 2 },
  { name: 'parts', test: parts, priority: 1, minShareCount: 2 },
  { name: 'words', test: words, priority: 1, minShareCount: 2 },
  { name: 'query', test: query, priority: 1, minShareCount: 2 },
  { name: 'dialogs', test: dialogs, priority: 1, minShareCount: 2 },
  { name: 'scripture', test: scripture, priority: 2 },
  { name: 'folding', test: folding, priority: 2 },
  { name: 'calls', test: calls, priority: 1, minShareCount: 2 },
  { name: memoryDatabaseChunk, test: memoryDatabase, priority: 3 },
  { name: 'device', test: device, priority: 1 },
  { name: 'work', test: work },
  { name: 'elders', test: elders, priority: 1, minShareCount: 2 },
  { name: 'person', test: person },
  { name: 'forms', test: forms },
  { name: 'administration', test: administration },
]
