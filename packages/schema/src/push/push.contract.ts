import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { subscribePath, unsubscribePath } from './push-address.ts'
import { pushEndpoint, pushEvery, pushSubscription } from './push.schema.ts'

/** Notifications of new teachings, for devices that asked for them. No subscription belongs to a person. */
export const push = {
  key: endpoint({
    method: 'GET',
    path: '/api/push/key',
    access: 'everyone',
    summary: 'The public key by which push services recognize this server.',
    answer: z.object({ publicKey: z.string() }),
  }),
  subscribe: endpoint({
    method: 'POST',
    path: subscribePath,
    access: 'everyone',
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
    summary: 'Tells a device nothing more, and forgets it; safe to repeat.',
    body: z.object({ endpoint: pushEndpoint }),
    answer: z.object({ success: z.literal(true) }),
  }),
}
