import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { passage } from './passages.schema.ts'

export const passages = {
  list: endpoint({
    method: 'GET',
    path: '/api/passages',
    access: 'everyone',
    summary: 'The scripture that pages and popovers may quote, in the order of the Bible.',
    answer: z.array(passage),
  }),
}
