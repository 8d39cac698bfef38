import { popoverTimings } from '../../ui/timings.ts'

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Placement {
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

export const widthOn = (screen: { width: number }): number =>
  Math.min(popoverTimings.widthPx, screen.width - 2 * popoverTimings.screenMarginPx)

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most))
