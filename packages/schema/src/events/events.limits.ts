/** Lengths of columns, and events in all: every device stores them. */
export const eventLimits = {
  title: 200,
  place: 200,
  description: 2_000,
  repeats: 200,
  /** Cancelled dates of one event. */
  cancelled: 400,
  all: 500,
  /** From the beginning to the end of one date. */
  days: 31,
  firstYear: 2000,
  lastYear: 2100,
} as const

/** Numbers of a rule. */
export const ruleLimits = { interval: 60, count: 1_000 } as const

/** How far ahead pages show the dates of events, in months. */
export const monthsAhead = 12
/** Dates of one repeating event that pages show. */
export const datesOfEvent = 4
/** Dates that Home shows. */
export const datesOnHome = 3
/** Dates that the server renders; the device shows all. */
export const prerenderedDates = 60
