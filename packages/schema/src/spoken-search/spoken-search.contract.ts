import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { spokenLimits } from './spoken-search.limits.ts'
import {
  contentIdParam,
  saidAnswer,
  saidSentences,
  spokenDictionary,
  spokenList,
  spokenPack,
} from './spoken-search.schema.ts'

/** The index of transcripts, which a device searches offline; the server searches alike. */
export const spokenSearch = {
  list: endpoint({
    method: 'GET',
    path: '/api/spoken-search',
    access: 'everyone',
    changes: false,
    summary: 'The parts of the index of what was said, and what they cost. Unchanged: 304 by ETag.',
    answer: spokenList,
  }),
  pack: endpoint({
    method: 'GET',
    path: '/api/spoken-search/packs/:id',
    access: 'everyone',
    changes: false,
    summary:
      'The words of the approved texts of a year, or of one text. Its address changes with its content.',
    params: contentIdParam,
    answer: spokenPack,
  }),
  dictionary: endpoint({
    method: 'GET',
    path: '/api/spoken-search/dictionaries/:id',
    access: 'everyone',
    changes: false,
    summary: 'The words that the packs number, from a piece on. Its address changes with its content.',
    params: contentIdParam,
    query: z.object({ from: z.coerce.number().int().min(0).max(100_000).default(0) }),
    answer: spokenDictionary,
  }),
  sentences: endpoint({
    method: 'GET',
    path: '/api/spoken-search/sentences/:uid',
    access: 'everyone',
    changes: false,
    summary: 'The approved text of one teaching, in which a device finds the sentences.',
    params: z.object({ uid: z.uuid() }),
    answer: saidSentences,
  }),
  said: endpoint({
    method: 'GET',
    path: '/api/spoken-search/said',
    access: 'everyone',
    changes: false,
    summary: `The first ${spokenLimits.found} teachings in which the words were said, with the sentences. Quoted words must follow each other.`,
    query: z.object({ q: z.string().max(teachingLimits.searchText) }),
    answer: saidAnswer,
  }),
}
