import { useEffect, useRef, useState } from 'react'

interface SliderProps {
  label: string
  /** Told while the thumb is moved, and what screen readers say. */
  valueText: (value: number) => string
  max: number
  value: number
  disabled?: boolean
  /** While the thumb is held. */
  onSlide?: (value: number | null) => void
  /** When it is let go: by finger, key or voice. */
  onCommit: (value: number) => void
}

/** A slider whose thumb belongs to the hand while it is held, and to `value` otherwise. */
export function Slider({ label, valueText, max, value, disabled, onSlide, onCommit }: SliderProps) {
  const [held, setHeld] = useState<number | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = held ?? value

  // React's onChange is the browser's `input` event; the browser's own `change` comes once, at the end.
  useEffect(() => {
    const element = input.current
    const letGo = () => {
      setHeld(null)
      onSlide?.(null)
      if (element) onCommit(Number(element.value))
    }
    element?.addEventListener('change', letGo)
    return () => element?.removeEventListener('change', letGo)
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
        setHeld(Number(event.target.value))
        onSlide?.(Number(event.target.value))
      }}
      className="h-11 w-full min-w-0 cursor-pointer accent-pine disabled:opacity-50"
    />
  )
}
