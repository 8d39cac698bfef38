import { openTabChannel } from '../engine/tab-channel.ts'

/*
 * Sound that is heard now comes before every download. The service worker, which fetches for the player, and the tab that
 * downloads take turns: one Web Lock for the network, and a channel on which the worker asks for its turn.
 */

const lockName = 'audio-line'

/** A chunk of a recording. */
export interface ChunkOf {
  key: string
  index: number
}

type LineMessage =
  /** Worker: the player needs this chunk. */
  | { type: 'wanted'; chunk: ChunkOf }
  /** Downloads: this very chunk is under way, and is worth a wait. */
  | { type: 'coming'; chunk: ChunkOf }
  /** Page: playback has stopped for lack of bytes. */
  | { type: 'stalled' }

/** One turn of the downloads. */
export interface Turn {
  /** Aborts when the player needs the network at once. */
  signal: AbortSignal
  /** Records the chunk under way. */
  begin: (chunk: ChunkOf) => void
  /** Whether the turn should end after this chunk, as the player waits for it. */
  isOver: () => boolean
}

/** The network between this device and the recordings. */
export interface AudioLine {
  /** Runs `work` while nothing is fetched for the player. */
  take<Result>(work: (turn: Turn) => Promise<Result>): Promise<Result>
}

/** Without a player: downloads have the network for themselves. */
export const freeLine: AudioLine = {
  take: (work) => work({ signal: new AbortController().signal, begin: () => undefined, isOver: () => false }),
}

/** The line of the downloads of this browser. Without Web Locks they yield to nothing. */
export function sharedLine(): AudioLine {
  if (typeof navigator.locks === 'undefined') return freeLine
  return {
    take: (work) =>
      navigator.locks.request(lockName, async () => {
        const needed = new AbortController()
        const channel = openTabChannel(lockName)
        let current: ChunkOf | undefined
        let isOver = false
        channel?.addEventListener('message', ({ data }: MessageEvent<LineMessage>) => {
          if (data.type === 'stalled') needed.abort()
          if (data.type !== 'wanted') return
          const { chunk } = data
          isOver = true
          if (chunk.key !== current?.key || chunk.index !== current.index) needed.abort()
          else channel.postMessage({ type: 'coming', chunk } satisfies LineMessage)
        })
        try {
          return await work({
            signal: needed.signal,
            begin: (chunk) => void (current = chunk),
            isOver: () => isOver,
          })
        } finally {
          channel?.close()
        }
      }),
  }
}

/** Reports that playback has stopped for lack of bytes: from now on the worker fetches them itself. */
export function reportStall(): void {
  const channel = openTabChannel(lockName)
  channel?.postMessage({ type: 'stalled' } satisfies LineMessage)
  channel?.close()
}

/** A download that does not yield, as in a frozen tab, delays the player no longer than this. */
const patienceMs = 1_000

/**
 * Takes the network for the player. Resolves when the downloads have yielded; if this very chunk is under way there, when
 * it has arrived.
 *
 * @returns gives the network back
 */
export async function takeForPlayer(chunk: ChunkOf, signal: AbortSignal): Promise<() => void> {
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return () => undefined
  const channel = openTabChannel(lockName)
  const giveUp = new AbortController()
  const end = () => giveUp.abort()
  const patience = setTimeout(end, patienceMs)
  channel?.addEventListener('message', ({ data }: MessageEvent<LineMessage>) => {
    const isComing =
      data.type === 'coming' && data.chunk.key === chunk.key && data.chunk.index === chunk.index
    if (isComing) clearTimeout(patience)
  })
  signal.addEventListener('abort', end)
  channel?.postMessage({ type: 'wanted', chunk } satisfies LineMessage)
  try {
    return await new Promise<() => void>((resolve, reject) => {
      locks
        .request(lockName, { signal: giveUp.signal }, () => new Promise<void>((release) => resolve(release)))
        .catch(() =>
          signal.aborted ? reject(new DOMException('Cancelled', 'AbortError')) : resolve(() => undefined),
        )
    })
  } finally {
    clearTimeout(patience)
    signal.removeEventListener('abort', end)
    channel?.close()
  }
}

const playedPrefix = 'audio-played:'

/**
 * Records that these recordings are open in the player of this tab, or come next there; only they are fetched ahead. The
 * browser forgets it with the tab.
 *
 * @returns ends it
 */
export function holdPlayed(keys: readonly string[]): () => void {
  const over = new AbortController()
  const { locks } = navigator as { locks?: LockManager }
  for (const key of keys)
    void locks
      ?.request(playedPrefix + key, { mode: 'shared' }, () =>
        over.signal.aborted
          ? undefined
          : new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve())),
      )
      .catch(() => undefined)
  return () => over.abort()
}

/** Those of all tabs; undefined without Web Locks. */
export async function playedKeys(): Promise<ReadonlySet<string> | undefined> {
  const { locks } = navigator as { locks?: LockManager }
  const { held = [] } = (await locks?.query()) ?? {}
  if (!locks) return undefined
  const names = held.flatMap(({ name }) => name ?? [])
  return new Set(
    names.filter((name) => name.startsWith(playedPrefix)).map((name) => name.slice(playedPrefix.length)),
  )
}
