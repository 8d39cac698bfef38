/** The words of a row, by field: a text, or texts in order, which count as one. */
export type Words = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the fields of `to` that differ from `from`. */
export function patchBetween<Text extends Words>(from: Words, to: Text): Partial<Text> {
  const differing = Object.entries(to).filter(
    ([field, word]) => word !== undefined && !isSame(from[field], word),
  )
  return Object.fromEntries(differing) as Partial<Text>
}

export type Merge<Patch extends Words> =
  /** The server's text already has all our changes. */
  | { outcome: 'nothing left' }
  /** Different fields were changed: the patch applies our changes to theirs. */
  | { outcome: 'merged'; patch: Partial<Patch> }
  /** Both sides changed these fields to different values; the user has to decide. */
  | { outcome: 'conflict'; fields: (keyof Patch & string)[] }

/** Three-way merge of the common base, our patch and the server's current text. */
export function merge<Patch extends Words>(base: Words, ours: Patch, theirs: Words): Merge<Patch> {
  const patch = patchBetween(theirs, ours)
  const fields = Object.keys(patch).filter((field) => !isSame(theirs[field], base[field]))
  if (fields.length > 0) return { outcome: 'conflict', fields }
  return Object.keys(patch).length === 0 ? { outcome: 'nothing left' } : { outcome: 'merged', patch }
}

/** Whether two words are equal; an outbox entry written before a field was added lacks it, which counts as empty. */
export const isSame = (one: Words[string], other: Words[string]): boolean =>
  // Members of a list are uids, which hold no comma.
  String(one ?? '') === String(other ?? '')
