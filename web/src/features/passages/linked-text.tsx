import type { Passage } from '@fellowship/schema/passages/passages.contract'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useLayoutEffect, useMemo } from 'react'
import { listen } from '../../lib/listen.ts'
import { popoverTimings } from '../../ui/timings.ts'
import { usePopover } from './use-popover.ts'

/** The text with a popover at each known reference. */
export function LinkedText({ text, passages }: { text: string; passages: ReadonlyMap<string, Passage> }) {
  const pieces = useMemo(
    () => splitAtReferences(text, (reference) => passages.get(reference)),
    [text, passages],
  )
  return pieces.map((piece, at) =>
    piece.found ? (
      <PassagePopover key={at} passage={piece.found}>
        {piece.text}
      </PassagePopover>
    ) : (
      piece.text
    ),
  )
}

interface PassagePopoverProps {
  passage: Passage
  /** The reference as written in the text. */
  children: ReactNode
}

/**
 * A reference that opens its passage: reference, text and the publisher's line. Every element in it is valid inside a
 * sentence.
 */
function PassagePopover({ passage, children }: PassagePopoverProps) {
  const id = useId()
  const popover = usePopover()
  const { state, trigger, panel } = popover
  const open = state !== 'closed'
  const pinned = state === 'pinned'

  // A pinned popover takes the focus, so that screen readers announce it and Tab and Escape work in it.
  useEffect(() => {
    if (pinned) panel.current?.focus({ preventScroll: true })
  }, [pinned, panel])

  return (
    <>
      <button
        ref={trigger}
        type="button"
        // The print stylesheet shows references as plain words.
        data-words=""
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-describedby={state === 'shown' ? `${id}-text` : undefined}
        className="relative cursor-pointer rounded-sm underline decoration-dotted decoration-2 underline-offset-4 hover:text-pine"
        onClick={popover.pin}
        onPointerEnter={(event) => popover.onEnter(event.pointerType)}
        onPointerLeave={(event) => popover.onLeave(event.pointerType)}
        onFocus={popover.onFocus}
        onBlur={(event) => popover.onBlur(event.relatedTarget)}
      >
        {children}
      </button>
      {open && (
        <Panel id={id} passage={passage} popover={popover} onClose={pinned ? popover.close : undefined} />
      )}
    </>
  )
}

interface PanelProps {
  id: string
  passage: Passage
  popover: ReturnType<typeof usePopover>
  /** Given while the popover is pinned. */
  onClose: (() => void) | undefined
}

function Panel({ id, passage, popover, onClose }: PanelProps) {
  const { panel, onEnter, onLeave, onBlur } = popover
  usePlacement(popover)
  return (
    // A <dialog> is invalid inside a sentence, a <span> is not; and the pointer may move into it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <span
      ref={panel}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="dialog"
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-text`}
      tabIndex={-1}
      // In the top layer if the browser has one, so that nothing clips it.
      popover="manual"
      className="fixed inset-auto z-50 m-0 block animate-rise overflow-y-auto rounded-card border border-line bg-raised text-left font-sans text-base leading-relaxed font-normal tracking-normal text-ink shadow-soft outline-none"
      onPointerEnter={(event) => onEnter(event.pointerType)}
      onPointerLeave={(event) => onLeave(event.pointerType)}
      onBlur={(event) => onBlur(event.relatedTarget)}
    >
      <span className="flex items-start justify-between gap-3 px-5 pt-5">
        <span id={`${id}-name`} className="font-serif text-lg leading-snug font-semibold">
          {passage.reference}
        </span>
        {onClose && (
          <button
            type="button"
            aria-label="Close"
            onClick={onClose}
            className="-mt-2 -mr-3 inline-flex size-11 shrink-0 items-center justify-center rounded-full text-soft hover:bg-pine-tint hover:text-pine"
          >
            <X className="size-5" />
          </button>
        )}
      </span>
      <span id={`${id}-text`} className="mt-2 block px-5 pb-4">
        {passage.text}
      </span>
      {/*
       * The publisher requires its line, so it stays visible however long the passage is. It sticks to the very edge, because the
       * panel itself has no padding.
       */}
      <span className="fades-above sticky bottom-0 block border-t border-line bg-raised px-5 py-3 text-small text-soft">
        {passage.copyrightLine}
      </span>
    </span>
  )
}

/**
 * Measures when it mounts, and again whenever the page moves under it. Writes to the element itself, so that the popover
 * never renders or takes the focus at a wrong position.
 */
function usePlacement({ trigger, panel, state }: ReturnType<typeof usePopover>): void {
  useLayoutEffect(() => {
    const element = panel.current
    if (!element) return
    // Absent in older browsers, which use a fixed box instead; throws if the page is being unloaded.
    if (element.isConnected && !isInTopLayer(element)) element.showPopover?.()
    const place = () => {
      if (trigger.current) placeAt(trigger.current, element)
    }
    place()
    return listen(window, ['scroll', 'resize'], place, { capture: true, passive: true })
  }, [trigger, panel, state])
}

function placeAt(words: HTMLElement, panel: HTMLElement): void {
  const screen = screenSize()
  panel.style.width = `${widthOn(screen)}px`
  // Wrapped words have a box in each line; the popover is anchored to the first.
  const anchor = words.getClientRects()[0] ?? words.getBoundingClientRect()
  const { left, top, maxHeight } = placePopover(anchor, naturalHeight(panel), screen)
  Object.assign(panel.style, { left: `${left}px`, top: `${top}px`, maxHeight: `${maxHeight}px` })
}

const isInTopLayer = (element: HTMLElement) => {
  try {
    return element.matches(':popover-open')
  } catch {
    return false
  }
}

/** The height without a limit: content and border. */
const naturalHeight = (element: HTMLElement) =>
  element.scrollHeight + element.offsetHeight - element.clientHeight

const screenSize = () => ({
  width: document.documentElement.clientWidth,
  height: document.documentElement.clientHeight,
})

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

interface Placement {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly maxHeight: number
}

/** Pixels between the words and the popover. */
const gap = 8

/**
 * The position of a popover in pixels of the screen: under its words, or above if there is more room, never wider than 384
 * px and never nearer than 16 px to an edge. If it does not fit, its content scrolls.
 *
 * @param anchor the box of the words
 * @param height the natural height of the popover at this width
 */
export function placePopover(
  anchor: Box,
  height: number,
  screen: { width: number; height: number },
): Placement {
  const margin = popoverTimings.screenMarginPx
  const width = widthOn(screen)
  const middle = (anchor.left + anchor.right) / 2
  const left = clamp(middle - width / 2, margin, screen.width - margin - width)
  const below = screen.height - margin - (anchor.bottom + gap)
  const above = anchor.top - gap - margin
  const under = height <= below || below >= above
  // If the words are scrolled out of sight, the room would exceed the screen.
  const room = Math.min(under ? below : above, screen.height - 2 * margin)
  const maxHeight = Math.max(minHeight, Math.min(height, room))
  const wanted = under ? anchor.bottom + gap : anchor.top - gap - maxHeight
  return { left, width, maxHeight, top: clamp(wanted, margin, screen.height - margin - maxHeight) }
}

/** A few lines at least, even if the screen is tiny. */
const minHeight = 96

const widthOn = (screen: { width: number }): number =>
  Math.min(popoverTimings.widthPx, screen.width - 2 * popoverTimings.screenMarginPx)

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most))
