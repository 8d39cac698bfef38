export { liveQuery } from 'dexie'
