import { z } from 'zod'
import { pushLimits } from './push.limits.ts'
import { isPushEndpoint } from './push-endpoint.ts'
import { pushTexts } from './push.texts.ts'

/** How often a device is told: of each teaching, or once a week. */
export const pushEvery = z.enum(['teaching', 'week'])
export type PushEvery = z.infer<typeof pushEvery>

/** An address at the push service of a browser. Whoever knows it may change the subscription. */
export const pushEndpoint = z
  .string()
  .max(pushLimits.endpoint)
  .refine(isPushEndpoint, { error: pushTexts.endpointPublic })

const base64Url = (pattern: RegExp) => z.string().regex(pattern, { error: pushTexts.keysDamaged })

/** A subscription as browsers give it: `PushSubscription.toJSON()`. */
export const pushSubscription = z.object({
  endpoint: pushEndpoint,
  keys: z.object({
    /** 65 bytes: an uncompressed point of P-256. */
    p256dh: base64Url(/^B[\w-]{86}$/),
    /** 16 bytes. */
    auth: base64Url(/^[\w-]{22}$/),
  }),
})
export type PushSubscriptionKeys = z.infer<typeof pushSubscription>
