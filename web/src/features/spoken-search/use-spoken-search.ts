import type { MeantPart } from '@fellowship/schema/spoken-search/spoken-index'
import { askedParts } from '@fellowship/schema/spoken-search/spoken-query'
import type { FoundSentence } from '@fellowship/schema/spoken-search/spoken-sentences'
import { startTransition, useEffect, useReducer, useState } from 'react'
import { listen } from '../../lib/listen.ts'
import { askIndex, onIndexUpdate } from './device-index.ts'

/** The teachings in which the words of a query were said. */
export interface SpokenResults {
  readonly query: string
  /** Best first. */
  readonly uids: readonly string[]
  /** Quoted words are certain only in texts whose sentences were read. */
  readonly isQuoted: boolean
  /** Their sentences, in the same order; undefined for a text that cannot be read now. */
  readonly sentencesOf: (uids: readonly string[]) => Promise<readonly (Sentences | undefined)[]>
}

type Sentences = readonly FoundSentence[]

/** Builds the index when the search field gets the focus: soon after a cold open it is not there yet. */
export function usePreparedIndex(stored: boolean): void {
  useEffect(() => {
    if (!stored) return undefined
    const prepare = (target: EventTarget | null) => {
      // Without it, the first search builds it.
      if (target instanceof HTMLInputElement && target.type === 'search')
        askIndex('prepare', undefined).catch(() => undefined)
    }
    prepare(document.activeElement)
    return listen(document, ['focusin'], ({ target }) => prepare(target))
  }, [stored])
}

/**
 * Searches on this device as long as it stores the index, else on the server. The former results stay until there are others.
 * The worker is asked at once, while the page still renders what the library found.
 *
 * @param stored whether the index is stored here
 */
export function useSpokenSearch(query: string, stored: boolean): SpokenResults | undefined {
  const [results, setResults] = useState<SpokenResults>()
  const [updates, updated] = useReducer((count: number) => count + 1, 0)
  useEffect(() => onIndexUpdate(updated), [])
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const show = (found: SpokenResults | undefined) => {
      if (!signal.aborted) startTransition(() => setResults(found))
    }
    // Without a connection the server's answer is missing, as it would be without this feature.
    const failed = () => show(undefined)
    if (askedParts(query).length === 0) failed()
    else (stored ? searchHere(query, signal) : searchThere(query, signal)).then(show, failed)
    return () => stop.abort()
  }, [query, stored, updates])
  return results
}

async function searchHere(query: string, signal: AbortSignal): Promise<SpokenResults> {
  // A browser without storage has no index.
  const here = await askIndex('search', query).catch(() => undefined)
  if (!here) return searchThere(query, signal)
  const { uids, parts } = here
  // A new device may not have fetched the index yet.
  if (uids.length === 0 && (await askIndex('state', undefined)).texts === 0) return searchThere(query, signal)
  return {
    query,
    uids,
    isQuoted: parts.some((part) => part.length > 1),
    sentencesOf: sentencesBy(query, parts, signal),
  }
}

/** From the texts stored here; the others by one request for the whole search, once the user stops typing. */
function sentencesBy(query: string, parts: readonly MeantPart[], signal: AbortSignal) {
  let there: Promise<SpokenResults> | undefined
  return async (uids: readonly string[]): Promise<readonly (Sentences | undefined)[]> => {
    const here = await askIndex('sentences', { uids, parts }).catch(() => [])
    const missing = uids.filter((_, at) => !here[at])
    if (missing.length === 0 || !navigator.onLine) return uids.map((_, at) => here[at])
    there ??= searchThere(query, signal)
    const fetched = await there.then(({ sentencesOf }) => sentencesOf(missing)).catch(() => [])
    return uids.map((uid, at) => here[at] ?? fetched[missing.indexOf(uid)])
  }
}

/** Milliseconds from the last letter to the request. */
const settleMs = 300

async function searchThere(query: string, signal: AbortSignal): Promise<SpokenResults> {
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  signal.throwIfAborted()
  const { searchSaid } = await import('./search-said.ts')
  const { teachings } = await searchSaid(query, signal)
  const sentences = new Map(teachings.map((said) => [said.uid, said.sentences]))
  return {
    query,
    uids: [...sentences.keys()],
    isQuoted: false,
    sentencesOf: (uids) => Promise.resolve(uids.map((uid) => sentences.get(uid))),
  }
}
