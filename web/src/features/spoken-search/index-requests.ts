import type { FoundSentence } from '@fellowship/schema/spoken-search/spoken-sentences'
import type { MeantPart } from '@fellowship/schema/spoken-search/spoken-index'
import type { SpokenFound, SpokenState } from '@fellowship/sync/client/spoken-search/spoken-device'

/** The requests to the worker that has the index, with their answers. */
export interface IndexCalls {
  /** Answers when to try again, epoch milliseconds. */
  update: { input: { keep: boolean; prepare: boolean }; answer: number | undefined }
  /** Builds the index ahead of the first search. */
  prepare: { input: undefined; answer: void }
  state: { input: undefined; answer: SpokenState }
  search: { input: string; answer: SpokenFound }
  sentences: {
    input: { uids: readonly string[]; parts: readonly MeantPart[] }
    answer: (FoundSentence[] | undefined)[]
  }
}
export type IndexCall = keyof IndexCalls

export interface IndexRequest<Name extends IndexCall = IndexCall> {
  id: number
  name: Name
  input: IndexCalls[Name]['input']
}

/** Without an answer the request failed. */
export interface IndexAnswer {
  id: number
  done?: { answer: IndexCalls[IndexCall]['answer'] }
}
