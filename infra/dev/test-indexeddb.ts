// Before anything else of a worker: Dexie looks for IndexedDB once, when the first file that needs it is loaded, and a file
// that runs no database may be that first one.
import 'fake-indexeddb/auto'
