import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { listen } from '../../lib/listen.ts'
import { popoverTimings } from '../../ui/timings.ts'

/** shown: by pointer or focus, closes when they leave · pinned: by a click or a tap, closes on request. */
type PopoverState = 'closed' | 'shown' | 'pinned'

interface Popover {
  state: PopoverState
  trigger: RefObject<HTMLButtonElement | null>
  panel: RefObject<HTMLSpanElement | null>
  pin: () => void
  close: () => void
  /** For both the words and the panel: the pointer may move from one to the other. */
  onEnter: (pointerType: string) => void
  onLeave: (pointerType: string) => void
  onFocus: () => void
  onBlur: (to: EventTarget | null) => void
}

/** The behaviour of a passage popover (WCAG 2.2, 1.4.13: dismissible, hoverable, persistent). */
export function usePopover(): Popover {
  const [state, setState] = useState<PopoverState>('closed')
  const trigger = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLSpanElement>(null)
  const hiding = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The focus returns to the words because the panel closed; that must not reopen it. */
  const returning = useRef(false)

  const stay = useCallback(() => clearTimeout(hiding.current), [])
  const close = useCallback(() => {
    clearTimeout(hiding.current)
    if (panel.current?.contains(document.activeElement)) {
      returning.current = true
      trigger.current?.focus({ preventScroll: true })
      returning.current = false
    }
    setState('closed')
  }, [])
  const isInside = useCallback(
    (target: EventTarget | null) =>
      target instanceof Node && (trigger.current?.contains(target) || panel.current?.contains(target)),
    [],
  )

  const open = state !== 'closed'
  useEffect(() => {
    if (!open) return
    const leave = takePlace(close)
    const onPointer = (event: Event) => {
      if (!isInside(event.target)) close()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      close()
    }
    const ends = [
      leave,
      listen(document, ['pointerdown'], onPointer, { capture: true }),
      listen(document, ['keydown'], onKey, { capture: true }),
    ]
    return () => ends.forEach((end) => end())
  }, [open, close, isInside])
  useEffect(() => stay, [stay])

  return {
    state,
    trigger,
    panel,
    close,
    pin: () => {
      stay()
      setState((now) => (now === 'pinned' ? 'closed' : 'pinned'))
    },
    onEnter: (pointerType) => {
      if (pointerType === 'touch') return
      stay()
      setState((now) => (now === 'closed' ? 'shown' : now))
    },
    onLeave: (pointerType) => {
      if (pointerType === 'touch' || state !== 'shown') return
      // Keyboard focus is still on the words.
      if (trigger.current?.matches(':focus-visible')) return
      clearTimeout(hiding.current)
      hiding.current = setTimeout(close, popoverTimings.hideDelayMs)
    },
    onFocus: () => {
      const byKeyboard = trigger.current?.matches(':focus-visible') ?? false
      if (byKeyboard && !returning.current) setState((now) => (now === 'closed' ? 'shown' : now))
    },
    onBlur: (to) => {
      if (to && !isInside(to)) close()
    },
  }
}

/** One popover at a time: opening one closes the other. */
let close: (() => void) | undefined

/** Closes the open popover and registers this one; the returned function unregisters it. */
function takePlace(closeMine: () => void): () => void {
  if (close !== closeMine) close?.()
  close = closeMine
  return () => {
    if (close === closeMine) close = undefined
  }
}
