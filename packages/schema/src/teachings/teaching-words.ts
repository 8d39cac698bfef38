/*
 * The words of a teaching: every field that a person writes, declared once. Row, form, patch, outbox entry, upload
 * metadata, idempotency, differences, SQL columns and labels derive from this list. To add a field: an entry here, a
 * migration with its column, and the place where it is shown.
 */

/** One field that a person writes. */
export interface TeachingWord {
  readonly label: string
  /** Characters at most; the column in the database is as long. */
  readonly maxLength: number
  /** A single line, a calendar date (YYYY-MM-DD), or several lines. */
  readonly input: 'line' | 'date' | 'lines'
  /** Stored as null where it is empty. */
  readonly nullable: boolean
  /**
   * Later additions: a client that does not send it leaves it as it is, where the absence of a first word empties it.
   * It stands under "More" in forms, and is no part of a file name.
   */
  readonly added: boolean
  /** The word in the audit log's "changed: …". */
  readonly changed: string
}

export const teachingWords = {
  title: {
    label: 'Title',
    maxLength: 255,
    input: 'line',
    nullable: false,
    added: false,
    changed: 'title',
  },
  speaker: {
    label: 'Speaker',
    maxLength: 255,
    input: 'line',
    nullable: false,
    added: false,
    changed: 'speaker',
  },
  date: {
    label: 'Date',
    maxLength: 50,
    input: 'date',
    nullable: false,
    added: false,
    changed: 'date',
  },
  scriptureReference: {
    label: 'Scripture Reference',
    maxLength: 255,
    input: 'line',
    nullable: true,
    added: false,
    changed: 'scripture',
  },
  description: {
    label: 'Description',
    maxLength: 2_000,
    input: 'lines',
    nullable: true,
    added: true,
    changed: 'description',
  },
} as const satisfies Record<string, TeachingWord>

export type WordName = keyof typeof teachingWords
/** Names of the words that are stored as null where they are empty. */
export type NullableWord = {
  [Name in WordName]: (typeof teachingWords)[Name]['nullable'] extends true ? Name : never
}[WordName]
/** Names of the words that came later: a client may not know them. */
export type AddedWord = {
  [Name in WordName]: (typeof teachingWords)[Name]['added'] extends true ? Name : never
}[WordName]

/** All words of a teaching as a form holds them: empty strings, no nulls. */
export type FullText = Record<WordName, string>
/** The same, of a client or a stored record that may be older than a word that came later. */
export type TeachingText = Omit<FullText, AddedWord> & { [Name in AddedWord]?: string | undefined }
/** Some of them: what an edit changes. */
export type TeachingPatch = { [Name in WordName]?: string | undefined }
/** The words as a row holds them. */
export type StoredWords = { [Name in WordName]: Name extends NullableWord ? string | null : string }

/** In the order of the forms. */
export const wordNames = Object.keys(teachingWords) as WordName[]
export const firstWords = wordNames.filter((name) => !teachingWords[name].added) as Exclude<
  WordName,
  AddedWord
>[]
export const addedWords = wordNames.filter((name) => teachingWords[name].added) as AddedWord[]

export const emptyText: FullText = eachWord(() => '')

/** The words of a row, or of an older device's record of them, without nulls. */
export const textOf = (row: { readonly [Name in WordName]?: string | null | undefined }): FullText =>
  eachWord((name) => row[name] ?? '')

/** Those of the given words that are there; whatever else the object holds is left out. */
export function wordsIn(given: TeachingPatch): TeachingPatch {
  const words: TeachingPatch = {}
  for (const name of wordNames) if (given[name] !== undefined) words[name] = given[name]
  return words
}

/** Words as a row holds them: null where a nullable one is empty. */
export function storedWords<Given extends TeachingPatch>(
  given: Given,
): Pick<StoredWords, keyof Given & WordName> {
  const stored: Record<string, string | null> = {}
  for (const name of wordNames) {
    const text = given[name]
    if (text !== undefined) stored[name] = teachingWords[name].nullable ? text || null : text
  }
  return stored as Pick<StoredWords, keyof Given & WordName>
}

/**
 * What an edit sends: every first word, and of those that came later what was changed. A device may hold a row from
 * before it knew such a word; sending that as empty would wipe it.
 */
export function editOf(base: TeachingText, edited: TeachingPatch): TeachingText {
  const changed = addedWords.filter(
    (name) => edited[name] !== undefined && edited[name] !== (base[name] ?? ''),
  )
  const names: WordName[] = [...firstWords, ...changed]
  return Object.fromEntries(names.map((name) => [name, edited[name] ?? base[name] ?? ''])) as TeachingText
}

/**
 * The words of a request as a list that is the same for the same request, also across versions: a word that came later
 * is in it only where the client sent it.
 */
export const requestWords = (given: TeachingPatch): unknown[] => [
  ...firstWords.map((name) => given[name]),
  ...addedWords.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
]

/** An object with a member for each word. */
export function eachWord<Value>(valueOf: (name: WordName) => Value): Record<WordName, Value> {
  return Object.fromEntries(wordNames.map((name) => [name, valueOf(name)])) as Record<WordName, Value>
}
