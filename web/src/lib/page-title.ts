import { church } from '@fellowship/schema/church'
import { useEffect } from 'react'
import { markHydrated } from '../boot/hydrated.ts'

/**
 * Names the page in the browser's tab and history: '<title> – <fellowship>'; the fellowship alone on the home page. Then
 * it is there, and tells so.
 */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} – ${church.name}` : church.name
  }, [title])
  useEffect(markHydrated, [])
}
