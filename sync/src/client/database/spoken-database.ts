import type { PackedText, SaidSentences } from '@fellowship/schema/spoken-search/spoken-search.schema'
import type { EntityTable } from 'dexie'
import { DeviceDatabase } from './device-database.ts'

/** The words of an approved text. */
export interface SpokenText extends PackedText {
  /** Of its teaching, YYYY-MM-DD: results of equal rank are listed by it. */
  date: string
}

/** The sentences of an approved text, stored with its saved recording. */
export interface SpokenSentences extends SaidSentences {
  uid: string
}

/** A piece of the dictionary that numbers the words of the texts. */
export interface SpokenPiece {
  piece: number
  /** Of this piece and of all before it. */
  id: string
  words: string
}

/** State of the index under a name. */
interface SpokenState {
  key: string
  value: unknown
}

/** The index of transcripts. It can be fetched again, so it is separate from the replica. */
export class SpokenDatabase extends DeviceDatabase {
  declare texts: EntityTable<SpokenText, 'uid'>
  declare sentences: EntityTable<SpokenSentences, 'uid'>
  declare dictionary: EntityTable<SpokenPiece, 'piece'>
  declare state: EntityTable<SpokenState, 'key'>

  constructor(name = 'spoken') {
    super(name)
    this.version(1).stores({ texts: 'uid', sentences: 'uid', dictionary: 'piece', state: 'key' })
  }
}
