/** Milliseconds per block: the gain is planned per block and changes linearly within it. */
const blockMs = 1
/** Blocks on both sides of a peak that get its reduction, and blocks over which the change is smoothed. */
const around = 6
const spread = 3
/** Milliseconds until a reduction falls to a third. */
export const releaseMs = 60

/** A limiter that looks a few milliseconds ahead and releases within a twentieth of a second. */
export interface Limiter {
  /** Takes samples and returns the finished ones; all of them if `isLast`. */
  push(samples: Float32Array, isLast?: boolean): Float32Array
}

/** @param ceiling the highest output level, linear */
export function limiter(sampleRate: number, ceiling: number): Limiter {
  const size = Math.round((sampleRate * blockMs) / 1_000)
  const release = 1 - Math.exp(-blockMs / releaseMs)
  /** Wanted gains of blocks; `wanted[0]` belongs to the block `first`. */
  let wanted: number[] = []
  let first = 0
  /** Samples that were not returned yet, from the block `next` on. */
  let pending = new Float32Array(0)
  let next = 0
  let measured = 0
  /** Gains of block edges after the release, from the edge `firstEdge` on. */
  let edges: number[] = []
  let firstEdge = -spread
  let last = 1

  const wantedAt = (block: number) => wanted[block - first] ?? 1
  function released(edge: number): number {
    while (firstEdge + edges.length <= edge) {
      const at = firstEdge + edges.length
      let least = 1
      for (let block = at - around; block < at + around; block++) least = Math.min(least, wantedAt(block))
      last = Math.min(least, last + (1 - last) * release)
      edges.push(last)
    }
    return edges[edge - firstEdge] ?? 1
  }
  function gainAt(edge: number): number {
    let sum = 0
    for (let at = edge - spread; at <= edge + spread; at++) sum += released(at)
    return sum / (2 * spread + 1)
  }
  function measure(isLast: boolean) {
    for (;;) {
      const start = (measured - next) * size
      if (start >= pending.length || (start + size > pending.length && !isLast)) return
      let highest = 0
      for (let at = start; at < Math.min(start + size, pending.length); at++) {
        const level = Math.abs(pending[at]!)
        if (level > highest) highest = level
      }
      wanted.push(highest > ceiling ? ceiling / highest : 1)
      measured += 1
    }
  }

  return {
    push(samples, isLast = false) {
      const joined = new Float32Array(pending.length + samples.length)
      joined.set(pending)
      joined.set(samples, pending.length)
      pending = joined
      measure(isLast)
      const decided = isLast ? measured : Math.max(next, measured - around - spread - 1)
      const count = Math.min(pending.length, (decided - next) * size)
      const out = pending.slice(0, count)
      let from = gainAt(next)
      for (let block = next; block < decided; block++) {
        const to = gainAt(block + 1)
        if (from < 1 || to < 1) {
          const start = (block - next) * size
          const end = Math.min(start + size, count)
          for (let at = start; at < end; at++) out[at]! *= from + ((to - from) * (at - start)) / size
        }
        from = to
      }
      pending = pending.slice(count)
      next = decided
      // Only the first edges need earlier blocks.
      const keepBlocks = Math.max(0, next - around - spread - 1 - first)
      wanted = wanted.slice(keepBlocks)
      first += keepBlocks
      const keepEdges = Math.max(0, next - spread - 1 - firstEdge)
      edges = edges.slice(keepEdges)
      firstEdge += keepEdges
      return out
    },
  }
}
