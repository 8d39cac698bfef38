import type { Passage } from '@fellowship/schema/passages/passages.contract'
import { startTransition, useEffect, useState } from 'react'
import { preloadReplica, whenIdle } from '../../boot/phases.ts'
import { firstNamed, firstPassages } from '../../boot/first-data.ts'
import { makeStore } from '../../lib/lazy-store.ts'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'

type Passages = ReadonlyMap<string, Passage>

const known = makeStore<Passages | null>(null)
let subscribers = 0
let stop: (() => void) | undefined

/** The passages by their reference; null until they are read. One query serves every text of a page. */
export function usePassages(): Passages | null {
  const [passages, setPassages] = useState(known.snapshot)
  useEffect(() => {
    const take = () => startTransition(() => setPassages(known.snapshot))
    take()
    return subscribe(take)
  }, [])
  return passages
}

/**
 * The passages by reference: all of them when they are read; until then those of the prerendered page, so that references
 * work before the first interaction. Null while the page hydrates, because the server rendered without them.
 */
export function useNamedPassages(): Passages | null {
  const passages = usePassages()
  const [brought, setBrought] = useState<Passages | null>(null)
  useEffect(() => startTransition(() => setBrought(broughtPassages())), [])
  return passages ?? brought
}

let brought: Passages | undefined
/** One map for all texts of the page. */
const broughtPassages = (): Passages =>
  (brought ??= new Map(
    [...(firstPassages() ?? []), ...(firstNamed() ?? [])].map((passage) => [passage.reference, passage]),
  ))

function subscribe(listener: () => void): () => void {
  const unsubscribe = known.subscribe(listener)
  subscribers += 1
  if (subscribers === 1) stop = watch()
  return () => {
    unsubscribe()
    subscribers -= 1
    if (subscribers > 0) return
    stop?.()
    stop = undefined
  }
}

function watch(): () => void {
  let end: (() => void) | undefined
  const callOff = whenIdle(() => {
    // If the device is offline before this module was cached, references stay plain text.
    end = runWhenLoaded(async () => {
      await preloadReplica()
      const { watchPassages } = await import('./passages.device.ts')
      return () => watchPassages(known.set)
    })
  })
  return () => {
    callOff()
    end?.()
  }
}
