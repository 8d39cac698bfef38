import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { newShape, storedShape, text, writtenShape } from '../sync/written-field.ts'
import { elderLimits as limits, newElderDefaults } from './elders.limits.ts'
import { isElderPhoto } from './elder-photo.ts'
import { elderTexts as texts } from './elders.texts.ts'

/** An integer; non-numeric input becomes 0. An absent one stays absent. */
const displayOrder = z.preprocess(
  (input) => (input === undefined || typeof input === 'number' ? input : orderOf(input)),
  z.int().min(-limits.displayOrder).max(limits.displayOrder),
)

/** The fields of an elder that people write, each declared once. */
export const writtenElder = {
  name: text(plainLine('Name').min(1, { error: texts.nameRequired }).max(limits.name)),
  role: text(plainLine('Role').min(1, { error: texts.roleRequired }).max(limits.role)),
  shortBio: text(plainLines('Short bio').min(1, { error: texts.shortBioRequired }).max(limits.bio)),
  extendedBio: text(plainLines('Extended bio').min(1, { error: texts.extendedBioRequired }).max(limits.bio)),
  /** A photo is uploaded by its own call; here it can be removed, or stay as it is. */
  imageUrl: {
    stored: z.string().nullable(),
    written: z.string().max(limits.imageUrl).refine(isElderPhoto, { error: texts.foreignImage }).nullable(),
    initial: null,
  },
  displayOrder: { stored: z.int(), written: displayOrder, initial: newElderDefaults.displayOrder },
}

/** An elder as everyone sees them, sorted by ascending `displayOrder`. */
export const elder = z.object({ id: z.int(), uid: z.uuid(), rev: z.int(), ...storedShape(writtenElder) })
export type Elder = z.infer<typeof elder>

export const newElder = z.object(newShape(writtenElder))
export type NewElder = z.infer<typeof newElder>

/** Any subset of the fields. */
export const elderChanges = z.object(writtenShape(writtenElder)).partial()
export type ElderChanges = z.infer<typeof elderChanges>

function orderOf(input: unknown): number {
  const number = typeof input === 'string' && input.trim() !== '' ? Number(input) : 0
  return Number.isFinite(number) ? number : 0
}
