/** Lengths count UTF-16 units as JavaScript does; columns count characters, which are never more. */
export const authLimits = {
  passwordMinimum: 8,
  /** argon2 takes any length; this bounds the work of one request. */
  passwordMaximum: 255,
  nameMinimumAtRegistration: 2,
  nameMinimumInAdminForms: 1,
  email: 255,
  passwordColumn: 255,
  name: 255,
  role: 50,
  token: 255,
  sessionId: 128,
} as const

/** Wrong passwords until an account, or one of its known devices, is locked, and for how long. */
export const lockout = { attempts: 5, minutes: 15 } as const

/** Sign-ins with a wrong password, registrations, reset mails and uses of a mailed link per address. */
export const addressRates = {
  signIn: { attempts: 20, perMinutes: 5 },
  registration: { attempts: 5, perMinutes: 60 },
  reset: { attempts: 5, perMinutes: 60 },
  mailedLink: { attempts: 20, perMinutes: 5 },
} as const

/**
 * Writes of one account, over all its devices and calls. A device that was offline for a week, or an administrator who
 * corrects a whole library, makes some hundred in a row.
 */
export const writeRate = { attempts: 1_000, perMinutes: 10 } as const

/** A session lasts this long after its last renewal (it renews at half of it). */
export const sessionDays = 30
/** Reset and verification tokens are single use and last this long. */
export const tokenMinutes = 60

export const defaultRole = 'user'

/** Cache of the current user. */
export const currentUserFreshMs = 60_000
export const currentUserKeptMs = 300_000
