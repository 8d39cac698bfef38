import { church } from '../church.ts'

/** Limits of telling devices of new teachings. */
export const pushLimits = {
  /** Characters of the address at a browser's push service. */
  endpoint: 1000,
  /** Limit of subscribed devices. */
  devices: 20_000,
  /** Characters of each part of a message: the encrypted content may have 3,993 bytes. */
  part: 150,
  /** Teachings that a message names by their uids, for the count on the icon. */
  uids: 20,
} as const

/** Calls about subscriptions from one address: a hall full of phones shares one. */
export const pushRate = { attempts: 300, perMinutes: 60 } as const

/** New subscriptions from one address: made-up endpoints would otherwise fill the limit of devices. */
export const newSubscriptionRate = { attempts: 400, perMinutes: 24 * 60 } as const

/**
 * A message waits until nothing was added for `quietMinutes`, for `mostMinutes` at most. If a title is corrected after
 * an upload, the message has the correction, and an import of five hundred is one message.
 */
export const pushTimes = { quietMinutes: 10, mostMinutes: 120 } as const

/** When the message of the week is sent. */
export const pushWeekTime = () => ({ weekday: 'Monday', time: '18:00', timeZone: church().timeZone }) as const

/** Days that a push service stores a message if the device is off. */
export const pushKeptDays = { teaching: 4, week: 6 } as const

/** A subscription whose messages failed this often in a row is forgotten; one that never accepted a message after the first. */
export const pushFailures = 10
