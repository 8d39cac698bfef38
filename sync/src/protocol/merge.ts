import { wordNames, type TeachingPatch, type TeachingText } from '@fellowship/schema/teachings/teaching-words'

/** The members of `to` that differ from `from`. */
export function patchBetween(from: TeachingText, to: TeachingText): TeachingPatch {
  const patch: TeachingPatch = {}
  for (const field of wordNames) if (wordOf(from, field) !== wordOf(to, field)) patch[field] = to[field]
  return patch
}

export type Merge =
  /** Nothing of ours is left to say: theirs says it already. */
  | { outcome: 'nothing left' }
  /** Different members were changed: ours goes on top of theirs. */
  | { outcome: 'merged'; patch: TeachingPatch }
  /** The same member was changed to two different things: a person decides. */
  | { outcome: 'conflict'; fields: (keyof TeachingText)[] }

/** Three ways: what both started from, what we changed, what stands there now. */
export function merge(base: TeachingText, ours: TeachingPatch, theirs: TeachingText): Merge {
  const patch: TeachingPatch = {}
  const fields: (keyof TeachingText)[] = []
  for (const field of wordNames) {
    const wanted = ours[field]
    if (wanted === undefined || wanted === wordOf(theirs, field)) continue
    if (wordOf(theirs, field) !== wordOf(base, field)) fields.push(field)
    patch[field] = wanted
  }
  if (fields.length > 0) return { outcome: 'conflict', fields }
  return Object.keys(patch).length === 0 ? { outcome: 'nothing left' } : { outcome: 'merged', patch }
}

/** An entry of an older version of the app lacks a word that came later: it was empty then. */
const wordOf = (text: Partial<TeachingText>, field: keyof TeachingText): string => text[field] ?? ''
