import type { Comfort } from '../../lib/comfort.ts'
import { keepsIndex } from './keeps-index.ts'
import type { IndexAnswer, IndexCall, IndexCalls, IndexRequest } from './index-requests.ts'

let worker: Worker | undefined
let requests = 0
const waiting = new Map<number, (answer: IndexAnswer) => void>()
const listeners = new Set<() => void>()

/**
 * Asks the worker that has the transcript index.
 *
 * @throws Error if the request failed, or the worker could not be started
 */
export async function askIndex<Name extends IndexCall>(
  name: Name,
  input: IndexCalls[Name]['input'],
): Promise<IndexCalls[Name]['answer']> {
  const { done } = await new Promise<IndexAnswer>((resolve) => {
    requests += 1
    waiting.set(requests, resolve)
    const request: IndexRequest<Name> = { id: requests, name, input }
    indexWorker().postMessage(request)
  })
  if (!done) throw new Error(`The index did not answer: ${name}`)
  return done.answer as IndexCalls[Name]['answer']
}

function indexWorker(): Worker {
  if (worker) return worker
  const started = new Worker(new URL('./spoken.worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<IndexAnswer>) => answered(data))
  started.addEventListener('error', endIndex)
  worker = started
  return started
}

function answered(answer: IndexAnswer): void {
  waiting.get(answer.id)?.(answer)
  waiting.delete(answer.id)
}

/** Ends the worker, which the next request starts again: its code could not be loaded, or there is nothing to search. */
function endIndex(): void {
  worker?.terminate()
  worker = undefined
  for (const id of waiting.keys()) answered({ id })
}

/** Calls back when the index was brought up to date; returns the way to stop listening. */
export function onIndexUpdate(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let faults = 0
let timer: ReturnType<typeof setTimeout> | undefined
let wanted: IndexChoice | undefined

interface IndexChoice {
  /** The user's choice, if there is one. */
  spoken: Comfort['spoken']
  isReduced: boolean
  /** Whether to build the index ahead of the first search. */
  prepare: boolean
}

/** Brings the index up to date, again after a failure as long as the page is open, or removes it. */
export async function updateIndex(choice: IndexChoice): Promise<void> {
  wanted = choice
  clearTimeout(timer)
  const keep = keepsIndex(choice.spoken, choice.isReduced)
  const again = await askIndex('update', { keep, prepare: choice.prepare }).then(
    (due) => {
      faults = 0
      return due
    },
    () => ((faults += 1) > mostFaults ? undefined : Date.now() + afterFaultMs),
  )
  if (wanted !== choice) return
  if (again !== undefined)
    timer = setTimeout(() => void updateIndex(choice), Math.max(1_000, again - Date.now()))
  for (const listener of listeners) listener()
  // A church without texts, or a person who wants none, has no use for it.
  if (again !== undefined) return
  const { texts } = await askIndex('state', undefined).catch(() => ({ texts: 0 }))
  if (texts === 0 && waiting.size === 0) endIndex()
}

/** After the database failed, or the code of the worker could not be loaded. */
const afterFaultMs = 60_000
/** Then a browser without storage is left alone until the next pull. */
const mostFaults = 3
