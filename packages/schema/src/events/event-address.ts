/** The page of the events. */
export const eventsPath = '/events'
/** All events as iCalendar, to subscribe to. */
export const calendarPath = '/events.ics'
/** One event as iCalendar. */
export const eventFile = ({ id }: { id: number }): string => `/events/${id}.ics`
