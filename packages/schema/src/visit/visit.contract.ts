import { endpoint } from '../endpoint.ts'
import { visitChanges, visitDetails } from './visit.schema.ts'

export const visit = {
  details: endpoint({
    method: 'GET',
    path: '/api/visit',
    access: 'everyone',
    summary: 'What a person who plans a first visit is told; empty texts are not shown.',
    answer: visitDetails,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/visit',
    access: 'admin',
    summary: 'Changes any of these texts.',
    body: visitChanges,
    answer: visitDetails,
  }),
}
