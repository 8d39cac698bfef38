import { church } from '@fellowship/schema/church'
import { useEffect } from 'react'
import { markHydrated } from '../boot/phases.ts'

/** Sets the document title, '<title> – <fellowship>' (the fellowship alone without one), and marks the page hydrated. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} – ${church.name}` : church.name
  }, [title])
  useEffect(markHydrated, [])
}
