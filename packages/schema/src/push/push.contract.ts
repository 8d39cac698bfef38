import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { subscribePath, unsubscribePath } from './push-address.ts'
import { pushLimits } from './push.limits.ts'
import { pushTexts } from './push.texts.ts'

/** Frequency of notifications: for each teaching, or once a week. */
export const pushEvery = z.enum(['teaching', 'week'])
export type PushEvery = z.infer<typeof pushEvery>

/**
 * Whether an address may be that of a push service: https at its own port, and a host with a name of several labels that
 * the public network could have. The address behind the name is checked when a message is sent.
 */
export function isPushEndpoint(text: string): boolean {
  const host = /^https:\/\/([^/?]+)[/?][\x21-\x7e]*$/.exec(text)?.[1]?.toLowerCase()
  return host !== undefined && publicName.test(host) && !privateName.test(host)
}

/** Without a port or a user. The last label has a letter first: addresses in numbers have none. */
const publicName = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*$/
const privateName = /\.(?:local|localhost|internal|intranet|lan|home|corp|arpa|test|invalid)$/

/** An address at the push service of a browser. It is a secret: knowing it is enough to change the subscription. */
const pushEndpoint = z
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

/** Notifications of new teachings, for devices that asked for them. No subscription belongs to a person. */
export const push = {
  key: endpoint({
    method: 'GET',
    path: '/api/push/key',
    access: 'everyone',
    changes: false,
    summary: 'The public key by which push services recognize this server.',
    answer: z.object({ publicKey: z.string() }),
  }),
  subscribe: endpoint({
    method: 'POST',
    path: subscribePath,
    access: 'everyone',
    changes: true,
    summary: 'Tells a device of new teachings from now on, or changes how often; safe to repeat.',
    body: z.object({
      subscription: pushSubscription,
      every: pushEvery,
      /** The endpoint that this subscription takes the place of. */
      replaces: pushEndpoint.optional(),
    }),
    answer: z.object({ every: pushEvery }),
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: unsubscribePath,
    access: 'everyone',
    changes: true,
    summary: 'Tells a device nothing more, and forgets it; safe to repeat.',
    body: z.object({ endpoint: pushEndpoint }),
    answer: z.object({ success: z.literal(true) }),
  }),
}
