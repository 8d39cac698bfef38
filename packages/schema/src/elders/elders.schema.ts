import { z } from 'zod'

/** An elder as everyone sees them. Lower `displayOrder` stands first. */
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
