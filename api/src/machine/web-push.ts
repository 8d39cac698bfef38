import { createECDH } from 'node:crypto'
import { Agent, request, type AgentOptions } from 'node:https'
import webPush from 'web-push'
import type { PushSubscriptionKeys } from '@fellowship/schema/push/push.contract'
import { publicLookup } from './public-lookup.ts'

/** A VAPID key pair (RFC 8292), base64url. */
export interface PushKeys {
  readonly publicKey: string
  readonly privateKey: string
}

export const makePushKeys = (): PushKeys => webPush.generateVAPIDKeys()

/** Whether a message can be encrypted for this key of a device: a point of P-256 in base64url. */
export function isDeviceKey(p256dh: string): boolean {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  try {
    pair.computeSecret(p256dh, 'base64url')
    return true
  } catch {
    return false
  }
}

interface PushRequest {
  readonly subscription: PushSubscriptionKeys
  readonly payload: string
  readonly keys: PushKeys
  /** Whom a push service may ask about this server: a mailto: or https: address. */
  readonly contact: string
  /** How long the push service keeps it for a device that is off, in seconds. */
  readonly ttl: number
  /** Of the messages with one topic that wait there it keeps the last. */
  readonly topic: string
}

/** The answer of a push service. */
export interface PushAnswer {
  readonly status: number
  /** From Retry-After. */
  readonly retryAfterMs: number | undefined
}

export interface PushSender {
  /**
   * Encrypts a message (RFC 8291) and posts it. Follows no redirect and reads no body.
   *
   * @throws PrivateAddress, or the error of the connection
   */
  send(message: PushRequest, signal: AbortSignal): Promise<PushAnswer>
  close(): void
}

/** @param connection replaces name resolution and trusted certificates */
export function pushSender(connection: AgentOptions = {}): PushSender {
  const agent = new Agent({ keepAlive: true, maxSockets: 20, lookup: publicLookup(), ...connection })
  return {
    send(message, signal) {
      const { endpoint, method, headers, body } = requestOf(message)
      const timely = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
      return new Promise((resolve, reject) => {
        const sent = request(endpoint, { method, headers, agent, signal: timely }, (response) => {
          resolve({
            status: response.statusCode ?? 0,
            retryAfterMs: retryAfterMs(response.headers['retry-after']),
          })
          drain(response)
        })
        sent.on('error', reject)
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

const mostMs = 15_000

function requestOf({ subscription, payload, keys, contact, ttl, topic }: PushRequest) {
  return webPush.generateRequestDetails(subscription, payload, {
    vapidDetails: { subject: contact, ...keys },
    contentEncoding: 'aes128gcm',
    TTL: ttl,
    topic,
    urgency: 'normal',
  })
}

/** An answer is a line or two; a host that goes on for longer only wants to keep this server busy. */
function drain(response: NodeJS.ReadableStream & { destroy: () => unknown }): void {
  let bytes = 0
  response.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > mostAnswerBytes) response.destroy()
  })
  // The status is known already.
  response.on('error', () => undefined)
}

const mostAnswerBytes = 64 * 1024

/** A number of seconds, or a date. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
