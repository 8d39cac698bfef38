import { useEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'

interface SliderProps {
  label: string
  /** The value in words, for screen readers. */
  valueText: (value: number) => string
  max: number
  value: number
  disabled?: boolean
  /** Without a track of its own: the caller draws one behind it, and its height. */
  bare?: boolean
  /** Called while the thumb is dragged, and with null at the end. */
  onSlide?: (value: number | null) => void
  /** Called once at the end of a change by pointer, key or voice. */
  onCommit: (value: number) => void
}

/** A range slider. While it is dragged it follows the pointer and ignores `value`. */
export function Slider({ label, valueText, max, value, disabled, bare, onSlide, onCommit }: SliderProps) {
  const [dragged, setDragged] = useState<number | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = dragged ?? value

  // React's onChange is the native `input` event; the native `change` is fired once, at the end.
  useEffect(() => {
    const element = input.current
    const commit = () => {
      setDragged(null)
      onSlide?.(null)
      if (element) onCommit(Number(element.value))
    }
    element?.addEventListener('change', commit)
    return () => element?.removeEventListener('change', commit)
  }, [onCommit, onSlide])

  return (
    <input
      ref={input}
      type="range"
      min={0}
      max={max}
      step={1}
      value={Math.min(Math.round(shown), max)}
      disabled={disabled}
      aria-label={label}
      aria-valuetext={valueText(shown)}
      onChange={(event) => {
        setDragged(Number(event.target.value))
        onSlide?.(Number(event.target.value))
      }}
      className={classNames(
        'w-full min-w-0 cursor-pointer disabled:opacity-50',
        bare ? bareClass : 'h-11 accent-pine',
      )}
    />
  )
}

/** The thumb is a line over the caller's picture: 4 px wide, so that its middle is 2 px from both ends. */
const bareClass =
  'absolute inset-0 h-full appearance-none bg-transparent rounded-card ' +
  '[&::-webkit-slider-runnable-track]:h-full [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:h-full ' +
  '[&::-webkit-slider-thumb]:w-1 [&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-pine ' +
  '[&::-moz-range-track]:bg-transparent [&::-moz-range-thumb]:h-full [&::-moz-range-thumb]:w-1 ' +
  '[&::-moz-range-thumb]:rounded-full [&::-moz-range-thumb]:border-none [&::-moz-range-thumb]:bg-pine'
