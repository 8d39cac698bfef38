import { Dexie, type DexieOptions } from 'dexie'

type Handler = ((event: never) => unknown) | null

/** The part of an IDBOpenDBRequest that Dexie uses. */
interface DatabaseRequest {
  readonly result: unknown
  readonly transaction: unknown
  readonly error: unknown
  onsuccess: Handler
  onerror: Handler
  onblocked: Handler
  onupgradeneeded: Handler
}

/** The part of IndexedDB that Dexie uses. */
export interface IndexedDb {
  indexedDB: {
    open: (name: string, version?: number) => DatabaseRequest
    deleteDatabase: (name: string) => unknown
    databases: () => Promise<unknown>
  }
  IDBKeyRange: {
    only: (value: unknown) => unknown
    lowerBound: (lower: unknown, isOpen?: boolean) => unknown
    upperBound: (upper: unknown, isOpen?: boolean) => unknown
    bound: (lower: unknown, upper: unknown, isLowerOpen?: boolean, isUpperOpen?: boolean) => unknown
  }
}

/** Opens a database in memory if the browser cannot open its own: private windows, refused site data, a broken profile. */
export interface MemoryFallback {
  /** For Dexie's constructor. */
  readonly options: Pick<DexieOptions, 'indexedDB' | 'IDBKeyRange'>
  /** Whether the database was opened in memory. */
  isInUse(): boolean
}

/** As it was found at the start: Dexie's own record of it is completed below. */
const browserIndexedDb = { ...Dexie.dependencies } as unknown as Partial<IndexedDb>

const listeners = new Set<() => void>()
let used = false

/** Whether a database of this page is in memory, and gone when the page is closed. */
export const usesMemory = (): boolean => used

/** Calls back when a database of this page is in memory, at once if one is; returns the way to stop listening. */
export function onMemoryUse(listener: () => void): () => void {
  listeners.add(listener)
  if (used) listener()
  return () => listeners.delete(listener)
}

/**
 * The browser's IndexedDB is tried first, at every opening; once it has worked for this database, its errors are
 * reported as they are. To be given to one database.
 *
 * @param browser the browser's implementation; without `indexedDB` if it has none
 * @param load fetches the implementation in memory, which only such browsers need
 */
export function memoryFallback(
  browser: Partial<IndexedDb> = browserIndexedDb,
  load: () => Promise<IndexedDb> = async () => (await import('fake-indexeddb')) as unknown as IndexedDb,
): MemoryFallback {
  let memory: IndexedDb | undefined
  let hasOpened = false
  let unknownErrors = 0

  const current = (): Partial<IndexedDb> => memory ?? browser
  const openMemory = async (): Promise<IndexedDb> => {
    memory ??= await load()
    used = true
    for (const listener of listeners) listener()
    return memory
  }

  function isFinal(error: unknown): boolean {
    const name = error instanceof Error || error instanceof DOMException ? error.name : ''
    // Dexie handles newer versions itself, and repeats this one of Chrome's three times.
    if (name === 'VersionError' || hasOpened) return false
    return name !== 'UnknownError' || (unknownErrors += 1) > 3
  }

  function open(name: string, version?: number): DatabaseRequest {
    const answer = new OpenRequest()
    const openInMemory = () =>
      openMemory().then(
        ({ indexedDB }) => answer.follow(indexedDB.open(name, version)),
        (error: unknown) => answer.fail(error),
      )
    if (memory || !browser.indexedDB) {
      void openInMemory()
    } else {
      try {
        answer.follow(browser.indexedDB.open(name, version), {
          onSuccess: () => (hasOpened = true),
          instead: (error) => {
            if (!isFinal(error)) return false
            void openInMemory()
            return true
          },
        })
      } catch (error) {
        // Firefox throws if it refuses the site its data.
        if (!isFinal(error)) throw error
        void openInMemory()
      }
    }
    return answer
  }

  const dependencies: IndexedDb = {
    indexedDB: {
      open,
      deleteDatabase: (name: string) => current().indexedDB!.deleteDatabase(name),
      databases: () => current().indexedDB!.databases(),
    },
    // Ranges must be of the implementation that reads them.
    IDBKeyRange: {
      only: (value) => current().IDBKeyRange!.only(value),
      lowerBound: (lower, isOpen) => current().IDBKeyRange!.lowerBound(lower, isOpen),
      upperBound: (upper, isOpen) => current().IDBKeyRange!.upperBound(upper, isOpen),
      bound: (lower, upper, isLowerOpen, isUpperOpen) =>
        current().IDBKeyRange!.bound(lower, upper, isLowerOpen, isUpperOpen),
    },
  }
  // If this were undefined, Dexie's live queries would do nothing.
  Dexie.dependencies.indexedDB ??= dependencies.indexedDB as never
  return { options: dependencies, isInUse: () => memory !== undefined }
}

/** A request in front of the request that answers in the end. */
class OpenRequest implements DatabaseRequest {
  onsuccess: Handler = null
  onerror: Handler = null
  onblocked: Handler = null
  onupgradeneeded: Handler = null
  #request: DatabaseRequest | undefined

  get result(): unknown {
    return this.#request?.result
  }

  get transaction(): unknown {
    return this.#request?.transaction
  }

  get error(): unknown {
    return this.#request?.error
  }

  /** @param options.instead is called at an error, and returns true if it handles it */
  follow(
    request: DatabaseRequest,
    options: { onSuccess?: () => void; instead?: (error: unknown) => boolean } = {},
  ): void {
    this.#request = request
    request.onsuccess = (event: never) => {
      options.onSuccess?.()
      this.onsuccess?.(event)
    }
    request.onblocked = (event: never) => this.onblocked?.(event)
    request.onupgradeneeded = (event: never) => this.onupgradeneeded?.(event)
    request.onerror = (event: never) => {
      if (options.instead?.(request.error)) (event as { preventDefault: () => void }).preventDefault()
      else this.onerror?.(event)
    }
  }

  fail(error: unknown): void {
    this.onerror?.({ target: { error } } as never)
  }
}
