import { z } from 'zod'
import { plainLine } from '../plain-text.ts'
import { handoutLimits as limits, handoutTypes, type HandoutType } from './handouts.limits.ts'

const types = Object.keys(handoutTypes) as [HandoutType, ...HandoutType[]]

/** A handout in a row of a teaching. */
export const handout = z.object({
  hash: z.string(),
  name: z.string(),
  type: z.enum(types),
  bytes: z.int(),
})

export const handoutHash = z.string().regex(/^[0-9a-f]{64}$/)

/** The rule for the handouts of a row: a backup may have been changed by hand. */
export const handoutList = z
  .array(
    z.strictObject({
      hash: handoutHash,
      name: plainLine('Name')
        .min(1)
        .max(limits.name)
        .regex(/^[^/\\]*$/, { error: 'is no name of a file' }),
      type: z.enum(types),
      bytes: z.int().min(1).max(limits.bytes),
    }),
  )
  .min(1)
  .max(limits.most)
  .refine((all) => new Set(all.map(({ hash }) => hash)).size === all.length, {
    error: 'has a handout twice',
  })
