import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  listeningChoice,
  listeningChosen,
  listeningPage,
  listeningPush,
  listeningPushed,
} from './listening.schema.ts'

/** One person's listening, kept with the account. Each call is about the signed-in person and nobody else. */
export const listening = {
  pull: endpoint({
    method: 'GET',
    path: '/api/listening',
    access: 'user',
    summary: 'Whether the account keeps its listening, and what changed in it since a cursor.',
    query: z.object({ since: z.string().max(100).optional() }),
    answer: listeningPage,
  }),
  push: endpoint({
    method: 'POST',
    path: '/api/listening',
    access: 'user',
    summary: 'Merges rows of a device into what the account holds; safe to repeat.',
    body: listeningPush,
    answer: listeningPushed,
  }),
  choose: endpoint({
    method: 'PUT',
    path: '/api/listening/choice',
    access: 'user',
    summary: 'Turns keeping it with the account on or off, and deletes what is held.',
    body: listeningChoice,
    answer: listeningChosen,
  }),
}
