export { liveQuery, type Observable, type Transaction } from 'dexie'
