import type { Page } from 'playwright-core'

/** Statements of a page about its state, as a person reads them. */
interface Shown {
  path: string
  /** The lines of visible text. */
  lines: string[]
  /** The names of buttons. */
  buttons: string[]
  /** Titles of the rows that "Needs a connection" stands in. */
  needConnection: string[]
  /** Names and states of the jobs in the upload panel. */
  jobs: { name: string; words: string }[]
  /** Whether the library shows the saved recordings alone, and whether the address asks for that. */
  showsSaved: boolean
  asksSaved: boolean
}

interface Recording {
  key: string
  teachingUid: string
  title: string
  url: string
  state: string
  size: number
  bytes: number
  problem?: string
  ahead?: object
}

/** The rows of the device's databases that those statements are about; empty if a database is gone. */
interface Stored {
  teachings: { uid: string; rev: number; title: string }[]
  outbox: { state: string; attempts: number; ownerUserId: number }[]
  /** `whole`: every byte of it is here. */
  recordings: (Recording & { whole: boolean })[]
  jobs: {
    id: string
    filename: string
    state: string
    fields: { title: string }
    unconfirmed?: boolean
    ownerUserId: number | null
  }[]
  notes: { text: string; removed: boolean; uid: string }[]
  marks: { uid: string; favourite?: { on: boolean }; heard?: { on: boolean } }[]
  /** Changes of listening that the account does not have and has not refused. */
  unsentListening: number
  /** The person whose listening is shown; 0 if it has no owner. */
  owner: number
  account: { on?: boolean; held: number; attempts: number } | undefined
}

/** Reads both in the page, at one time. */
export const shownAndStored = (page: Page): Promise<{ shown: Shown; stored: Stored }> =>
  page.evaluate(async () => {
    const asked = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error!))
      })
    // Opening would create a database that was deleted.
    const existing = (await indexedDB.databases()).map(({ name }) => name)
    async function tables(name: string, names: readonly string[]): Promise<Record<string, unknown[]>> {
      const found: Record<string, unknown[]> = {}
      if (!existing.includes(name)) return found
      const db = await asked(indexedDB.open(name))
      for (const table of names)
        if (db.objectStoreNames.contains(table))
          found[table] = await asked(db.transaction(table).objectStore(table).getAll())
      db.close()
      return found
    }
    const app = await tables('app', ['teachings', 'outbox', 'notes', 'marks', 'unsentListening', 'meta'])
    const audio = await tables('audio', ['recordings', 'chunks'])
    const uploads = await tables('uploads', ['jobs'])
    const bytesOf = new Map<string, number>()
    for (const { key, data } of (audio['chunks'] ?? []) as { key: string; data: ArrayBuffer }[])
      bytesOf.set(key, (bytesOf.get(key) ?? 0) + data.byteLength)
    const meta = new Map(
      ((app['meta'] ?? []) as { key: string; value: unknown }[]).map(({ key, value }) => [key, value]),
    )
    const owner = (meta.get('listeningOwner') ?? 0) as number
    const textOf = (element: Element | null | undefined) => element?.textContent?.trim() ?? ''
    const seen = <E extends Element>(selector: string) =>
      [...document.querySelectorAll<E>(selector)].filter((element) => element.checkVisibility())
    return {
      shown: {
        path: location.pathname,
        lines: document.body.innerText.split('\n').map((line) => line.trim()),
        buttons: seen('button').map((button) => button.getAttribute('aria-label') ?? textOf(button)),
        needConnection: seen('[data-unreachable]').map((mark) =>
          textOf(mark.closest('li')?.querySelector('h3')),
        ),
        jobs: seen('section[aria-label="On this device"] li').map((job) => {
          const [name, words] = [...job.querySelectorAll('p')].map(textOf)
          return { name: name ?? '', words: words ?? '' }
        }),
        showsSaved: seen('nav[aria-label="Which teaching"]').some(
          (nav) => ![...nav.querySelectorAll('a')].some((link) => textOf(link).startsWith('Saved')),
        ),
        asksSaved: new URLSearchParams(location.search).has('show'),
      },
      stored: {
        teachings: (app['teachings'] ?? []) as Stored['teachings'],
        outbox: (app['outbox'] ?? []) as Stored['outbox'],
        recordings: ((audio['recordings'] ?? []) as Recording[]).map((recording) => ({
          ...recording,
          whole: bytesOf.get(recording.key) === recording.size,
        })),
        jobs: (uploads['jobs'] ?? []) as Stored['jobs'],
        notes: (app['notes'] ?? []) as Stored['notes'],
        marks: (app['marks'] ?? []) as Stored['marks'],
        unsentListening: ((app['unsentListening'] ?? []) as { refused?: string }[]).filter(
          ({ refused }) => refused === undefined,
        ).length,
        owner,
        account: meta.get(`listeningAccount:${owner}`) as Stored['account'],
      },
    }
  })
