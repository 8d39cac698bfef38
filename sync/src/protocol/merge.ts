/** What of a teaching a person edits. */
export interface TeachingText {
  title: string
  speaker: string
  date: string
  scriptureReference: string
}

export type TeachingPatch = Partial<TeachingText>

export const textFields = ['title', 'speaker', 'date', 'scriptureReference'] as const

/** The editable part of a row, without nulls. */
export function textOf(row: {
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
}): TeachingText {
  const { title, speaker, date, scriptureReference } = row
  return { title, speaker, date, scriptureReference: scriptureReference ?? '' }
}

/** The members of `to` that differ from `from`. */
export function patchBetween(from: TeachingText, to: TeachingText): TeachingPatch {
  const patch: TeachingPatch = {}
  for (const field of textFields) if (from[field] !== to[field]) patch[field] = to[field]
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
  for (const field of textFields) {
    const wanted = ours[field]
    if (wanted === undefined || wanted === theirs[field]) continue
    if (theirs[field] !== base[field]) fields.push(field)
    patch[field] = wanted
  }
  if (fields.length > 0) return { outcome: 'conflict', fields }
  return Object.keys(patch).length === 0 ? { outcome: 'nothing left' } : { outcome: 'merged', patch }
}
