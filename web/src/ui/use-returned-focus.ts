import { useEffect, useState } from 'react'

/**
 * Returns the focus to what had it when the dialog was opened. Headless UI does that by itself, but only where its code was
 * loaded before the press that opened the dialog: the first dialog of a visit may be what loads it.
 */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // After Headless UI, and after what the closing itself focuses, such as another dialog.
      setTimeout(() => {
        if (document.activeElement === document.body) (opener as HTMLElement | null)?.focus()
      })
    },
    [opener],
  )
}
