import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { visitLimits as limits } from './visit.limits.ts'
import { visitTexts as texts } from './visit.texts.ts'

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
