import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { chaptersJson } from './chapters-json.ts'

export const chapters = {
  read: endpoint({
    method: 'GET',
    path: '/api/teachings/:uid/chapters',
    access: 'everyone',
    changes: false,
    summary: 'The chapters of a teaching, as podcast apps read them.',
    params: z.object({ uid: z.uuid() }),
    answer: chaptersJson,
  }),
}
