import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'

/** Whether something of the page's frame is open. It was opened on this page: on another one it is closed. */
export function useOpenOnPage(): [open: boolean, setOpen: (open: boolean) => void] {
  const pathname = useLocation({ select: (location) => location.pathname })
  const [openOn, setOpenOn] = useState<string>()
  if (openOn !== undefined && openOn !== pathname) setOpenOn(undefined)
  return [openOn === pathname, (open) => setOpenOn(open ? pathname : undefined)]
}
