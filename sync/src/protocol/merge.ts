import { wordNames, type TeachingPatch, type TeachingText } from '@fellowship/schema/teachings/teaching-words'

/** Returns the fields of `to` that differ from `from`. */
export function patchBetween(from: TeachingText, to: TeachingText): TeachingPatch {
  const patch: TeachingPatch = {}
  for (const field of wordNames) if (fieldOf(from, field) !== fieldOf(to, field)) patch[field] = to[field]
  return patch
}

export type Merge =
  /** The server's text already has all our changes. */
  | { outcome: 'nothing left' }
  /** Different fields were changed: the patch applies our changes to theirs. */
  | { outcome: 'merged'; patch: TeachingPatch }
  /** Both sides changed these fields to different values; the user has to decide. */
  | { outcome: 'conflict'; fields: (keyof TeachingText)[] }

/** Three-way merge of the common base, our patch and the server's current text. */
export function merge(base: TeachingText, ours: TeachingPatch, theirs: TeachingText): Merge {
  const patch: TeachingPatch = {}
  const fields: (keyof TeachingText)[] = []
  for (const field of wordNames) {
    const wanted = ours[field]
    if (wanted === undefined || wanted === fieldOf(theirs, field)) continue
    if (fieldOf(theirs, field) !== fieldOf(base, field)) fields.push(field)
    patch[field] = wanted
  }
  if (fields.length > 0) return { outcome: 'conflict', fields }
  return Object.keys(patch).length === 0 ? { outcome: 'nothing left' } : { outcome: 'merged', patch }
}

/** Reads a field; an outbox entry written before the field was added lacks it, which counts as empty. */
const fieldOf = (text: Partial<TeachingText>, field: keyof TeachingText): string => text[field] ?? ''
