import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { elderLimits as limits, newElderDefaults } from './elders.limits.ts'
import { isElderPhoto } from './elder-photo.ts'
import { elderTexts as texts } from './elders.texts.ts'

/** An elder as everyone sees them, sorted by ascending `displayOrder`. */
export const elder = z.object({
  id: z.int(),
  uid: z.uuid(),
  rev: z.int(),
  name: z.string(),
  role: z.string(),
  shortBio: z.string(),
  extendedBio: z.string(),
  imageUrl: z.string().nullable(),
  displayOrder: z.int(),
})
export type Elder = z.infer<typeof elder>

/** An integer; non-numeric input becomes 0. An absent one stays absent. */
const displayOrder = z.preprocess(
  (input) => (input === undefined || typeof input === 'number' ? input : orderOf(input)),
  z.int().min(-limits.displayOrder).max(limits.displayOrder),
)

/** The editable fields. Without defaults: an update leaves absent fields unchanged. */
const fields = z.object({
  name: plainLine('Name').min(1, { error: texts.nameRequired }).max(limits.name),
  role: plainLine('Role').min(1, { error: texts.roleRequired }).max(limits.role),
  shortBio: plainLines('Short bio').min(1, { error: texts.shortBioRequired }).max(limits.bio),
  extendedBio: plainLines('Extended bio').min(1, { error: texts.extendedBioRequired }).max(limits.bio),
  displayOrder,
  /** A photo is uploaded by its own call; here it can be removed, or stay as it is. */
  imageUrl: z.string().max(limits.imageUrl).refine(isElderPhoto, { error: texts.foreignImage }).nullable(),
})

export const newElder = fields.extend({
  displayOrder: displayOrder.default(newElderDefaults.displayOrder),
  imageUrl: fields.shape.imageUrl.default(null),
})
export type NewElder = z.infer<typeof newElder>

/** Any subset of the fields. */
export const elderChanges = fields.partial()
export type ElderChanges = z.infer<typeof elderChanges>

function orderOf(input: unknown): number {
  const number = typeof input === 'string' && input.trim() !== '' ? Number(input) : 0
  return Number.isFinite(number) ? number : 0
}
