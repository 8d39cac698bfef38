/*
 * The words of a teaching: every field that a person writes, declared once. Row, form, patch, outbox entry, upload
 * metadata, idempotency, differences, SQL columns and labels derive from this list. To add a field: an entry here, a
 * migration with its column, and a component that shows it.
 */

/** One field that a person writes. */
interface TeachingWord {
  readonly label: string
  /** Characters at most; the column in the database is as long. */
  readonly maxLength: number
  /** A single line, a calendar date (YYYY-MM-DD), or several lines. */
  readonly input: 'line' | 'date' | 'lines'
  /** Stored as null if it is empty. */
  readonly nullable: boolean
  /**
   * A later addition: if a client does not send it, it stays as it is, whereas an absent first word is emptied.
   * It stands under "More" in forms, and is not part of a file name.
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
  chapters: {
    label: 'Chapters',
    maxLength: 16_000,
    input: 'lines',
    nullable: true,
    added: true,
    changed: 'chapters',
  },
} as const satisfies Record<string, TeachingWord>

export type WordName = keyof typeof teachingWords
/** Names of the words that are stored as null if they are empty. */
export type NullableWord = {
  [Name in WordName]: (typeof teachingWords)[Name]['nullable'] extends true ? Name : never
}[WordName]
/** Names of the later words, which older clients do not send. */
export type AddedWord = {
  [Name in WordName]: (typeof teachingWords)[Name]['added'] extends true ? Name : never
}[WordName]

/** All words of a teaching as a form holds them: empty strings, no nulls. */
type FullText = Record<WordName, string>
/** The same, of a client or a stored record that may be older than a word that came later. */
export type TeachingText = Omit<FullText, AddedWord> & { [Name in AddedWord]?: string | undefined }
/** The words that an edit changes. */
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

/** The given words that are present; other members of the object are dropped. */
export function wordsIn(given: TeachingPatch): TeachingPatch {
  const words: TeachingPatch = {}
  for (const name of wordNames) if (given[name] !== undefined) words[name] = given[name]
  return words
}

/** Words as a row holds them: null if a nullable one is empty. */
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
 * The content of an edit: every first word, and the later words if they changed. A device may hold a row from before it
 * supported a later word; if it sent that word as empty, the server would delete it.
 */
export function editOf(base: TeachingText, edited: TeachingPatch): TeachingText {
  const changed = addedWords.filter(
    (name) => edited[name] !== undefined && edited[name] !== (base[name] ?? ''),
  )
  const names: WordName[] = [...firstWords, ...changed]
  return Object.fromEntries(names.map((name) => [name, edited[name] ?? base[name] ?? ''])) as TeachingText
}

/**
 * The words of a request as a list that is the same for the same request, also across versions: a later word is in it only
 * if the client sent it.
 */
export const requestWords = (given: TeachingPatch): unknown[] => [
  ...firstWords.map((name) => given[name]),
  ...addedWords.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
]

/** An object with a member for each word. */
export function eachWord<Value>(valueOf: (name: WordName) => Value): Record<WordName, Value> {
  return Object.fromEntries(wordNames.map((name) => [name, valueOf(name)])) as Record<WordName, Value>
}
