import { useEffect, useRef, useState } from 'react'

interface SliderProps {
  label: string
  /** The value in words, for screen readers. */
  valueText: (value: number) => string
  max: number
  value: number
  disabled?: boolean
  /** Called while the thumb is dragged, and with null at the end. */
  onSlide?: (value: number | null) => void
  /** Called once at the end of a change by pointer, key or voice. */
  onCommit: (value: number) => void
}

/** A range slider. While it is dragged it follows the pointer and ignores `value`. */
export function Slider({ label, valueText, max, value, disabled, onSlide, onCommit }: SliderProps) {
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
      className="h-11 w-full min-w-0 cursor-pointer accent-pine disabled:opacity-50"
    />
  )
}
