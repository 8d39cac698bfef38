import { eventLimits as limits } from './events.limits.ts'

/** Messages about events. */
export const eventTexts = {
  titleRequired: 'Enter a title.',
  notLocal:
    'Starts and ends are local times as 2026-03-15T10:00, without a time zone, between ' +
    `${limits.firstYear} and ${limits.lastYear}.`,
  endsFirst: 'An event ends after it starts. Enter a later end.',
  tooLong: `An event lasts at most ${limits.days} days. Let it repeat, or make several events of it.`,
  notRule:
    'This is no rule of RFC 5545 that events can repeat by. Write it as FREQ=WEEKLY;BYDAY=SU: daily, weekly, ' +
    'monthly or yearly, with INTERVAL, COUNT or UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST as they fit.',
  notFirst:
    'The rule does not include the date on which the event starts. Change the start to the first date of the rule, or the rule.',
  cancelledTwice: 'Each cancelled date is listed once.',
  notDate: 'Cancelled dates are written as 2026-03-15.',
  tooMany: `There are ${limits.all} events already. Delete old ones first.`,
  gone: 'This event was already deleted.',
  notInBin: 'This event is not in the bin any more.',
  restored: 'Event Restored',
  restoreFailed: 'Failed to restore the event',
  binEmpty: 'No deleted events.',
  changed: 'This event was changed by someone else since you opened it.',
  upcoming: 'Coming up',
  none: 'No events are planned at the moment.',
  created: 'Event Created',
  updated: 'Event Updated',
  deleted: 'Event Deleted',
  dateCancelled: 'Date Cancelled',
  dateRestored: 'Date Restored',
  saveFailed: 'Failed to save the event',
  deleteFailed: 'Failed to delete the event',
  loadFailed: 'The events could not be loaded',
  confirmDelete: (title: string) =>
    `Are you sure you want to delete ${title} with all its dates? It can be restored for 30 days.`,
  listed: 'What is coming up: dates, times and places of our events, for your calendar too.',
} as const
