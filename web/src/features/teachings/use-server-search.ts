import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useState } from 'react'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

export interface TeachingSearch {
  /** The matching rows, best first; all rows if the query is empty; undefined while the search runs. */
  readonly matches: readonly Teaching[] | undefined
  /** The reason why the search failed. */
  readonly failed: string | undefined
}

/** Milliseconds from the last letter to the request. */
const settleMs = 300

/** Searches on the server while a text is given. */
export function useServerSearch(text: string | undefined): TeachingSearch {
  const [found, setFound] = useState<TeachingSearch & { text: string }>()
  useEffect(() => {
    if (text === undefined) return undefined
    const stop = new AbortController()
    const show = (search: TeachingSearch) => {
      if (!stop.signal.aborted) setFound({ ...search, text })
    }
    const search = () =>
      import('./search-on-server.ts')
        .then(({ searchOnServer }) => searchOnServer(text, stop.signal))
        .then(
          (matches) => show({ matches, failed: undefined }),
          (error: unknown) => show({ matches: undefined, failed: sentenceOfError(error) }),
        )
    const timer = setTimeout(() => void search(), settleMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found && found.text === text ? found : searching
}

const searching: TeachingSearch = { matches: undefined, failed: undefined }
