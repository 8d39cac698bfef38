import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  listeningChoice,
  listeningChosen,
  listeningPage,
  listeningPush,
  listeningPushed,
  listeningResults,
  listeningSent,
} from './listening.schema.ts'

/** One person's listening, kept with the account. Each call concerns the signed-in person alone. */
export const listening = {
  pull: endpoint({
    method: 'GET',
    path: '/api/listening',
    access: 'user',
    changes: false,
    summary: 'Whether the account keeps its listening, and what changed in it since a cursor.',
    query: z.object({ since: z.string().max(100).optional() }),
    answer: listeningPage,
  }),
  send: endpoint({
    method: 'POST',
    path: '/api/listening/events',
    access: 'user',
    changes: true,
    summary: 'Stamps and merges events of a device, each by itself; safe to repeat.',
    body: listeningSent,
    answer: listeningResults,
  }),
  push: endpoint({
    method: 'POST',
    path: '/api/listening',
    access: 'user',
    changes: true,
    summary: 'As the release before sends: rows with timestamps, accepted or refused together.',
    body: listeningPush,
    answer: listeningPushed,
  }),
  choose: endpoint({
    method: 'PUT',
    path: '/api/listening/choice',
    access: 'user',
    changes: true,
    summary: 'Turns keeping it with the account on or off, and deletes what is held.',
    body: listeningChoice,
    answer: listeningChosen,
  }),
}
