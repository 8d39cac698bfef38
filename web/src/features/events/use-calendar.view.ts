import type { Calendar } from '../../boot/first-data.ts'
import { useLive } from '../../lib/use-live.view.ts'

/**
 * Coming dates and notices, live from the replica; until it has been read those of the prerendered page, or undefined.
 *
 * @param first reads them from the page
 */
export const useCalendar = (first: () => Calendar | undefined): Calendar | undefined =>
  useLive(first, loadCalendar)

const loadCalendar = async () => (await import('./calendar.device.ts')).watchCalendar
