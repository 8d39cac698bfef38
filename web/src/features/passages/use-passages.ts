import type { Passage } from '@fellowship/schema/passages/passages.schema'
import { startTransition, useEffect, useState } from 'react'
import { replicaAhead } from '../../boot/preload.ts'
import { whenIdle } from '../../boot/when-idle.ts'

type Passages = ReadonlyMap<string, Passage>

let known: Passages | null = null
let stop: (() => void) | undefined
const listeners = new Set<() => void>()

/** The passages by their reference; null until the device has told. One look at the device serves every text of a page. */
export function usePassages(): Passages | null {
  const [passages, setPassages] = useState(known)
  useEffect(() => {
    const take = () => startTransition(() => setPassages(known))
    take()
    return subscribe(take)
  }, [])
  return passages
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) stop = watch()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop?.()
    stop = undefined
  }
}

function watch(): () => void {
  let over = false
  let end: (() => void) | undefined
  const callOff = whenIdle(() => {
    passagePart().then(
      ({ watchPassages }) => {
        if (!over) end = watchPassages(tell)
      },
      // Offline before the part was kept: references stay plain text.
      () => undefined,
    )
  })
  return () => {
    over = true
    callOff()
    end?.()
  }
}

const passagePart = async () => {
  await replicaAhead()
  return import('./passages-device.ts')
}

function tell(passages: Passages): void {
  known = passages
  for (const listener of listeners) listener()
}
