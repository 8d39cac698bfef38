import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useState } from 'react'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

export interface TeachingSearch {
  /** The rows that match, best first; all of them for an empty query; undefined while they are being searched. */
  readonly matches: readonly Teaching[] | undefined
  /** Why the text could not be searched. */
  readonly failed: string | undefined
}

/** A request follows this long after the last letter. */
const settleMs = 300

/** Lets the server search, for as long as a text is given. */
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
