import { useEffect } from 'react'
import { markHydrated } from '../boot/phases.ts'
import { useChurch } from './use-church.ts'

/** Sets the document title, '<title> – <fellowship>' (the fellowship alone without one), and marks the page hydrated. */
export function usePageTitle(title?: string): void {
  const { name } = useChurch()
  useEffect(() => {
    document.title = title ? `${title} – ${name}` : name
  }, [title, name])
  useEffect(markHydrated, [])
}
