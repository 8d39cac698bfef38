import { endpoint } from '../endpoint.ts'
import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { visitTexts as texts } from './visit.texts.ts'

/** Column lengths. Short enough to stay readable on a phone. */
const limits = { text: 2_000, phone: 30 } as const

/** Details for planning a first visit. A text is hidden if it is empty. */
export const visitDetails = z.object({
  /** The course of a service. */
  expect: plainLines('What to expect').max(limits.text),
  /** Not 'children': a form whose field has that name loses the property of its element. */
  forChildren: plainLines('Children').max(limits.text),
  parking: plainLines('Parking').max(limits.text),
  phone: plainLine('Phone')
    .max(limits.phone, { error: texts.phoneInvalid })
    .regex(/^(?:[+(\d][\d ()-]{3,})?$/, { error: texts.phoneInvalid }),
})
export type VisitDetails = z.infer<typeof visitDetails>

/** Any subset of the texts. */
export const visitChanges = visitDetails.partial()
export type VisitChanges = z.infer<typeof visitChanges>

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
