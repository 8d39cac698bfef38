import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'

/** Whether a part of the page's frame is open; it closes when another page is shown. */
export function useOpenOnPage(): [open: boolean, setOpen: (open: boolean) => void] {
  const pathname = useLocation({ select: (location) => location.pathname })
  const [openOn, setOpenOn] = useState<string>()
  if (openOn !== undefined && openOn !== pathname) setOpenOn(undefined)
  return [openOn === pathname, (open) => setOpenOn(open ? pathname : undefined)]
}
