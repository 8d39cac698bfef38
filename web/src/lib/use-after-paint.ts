import { startTransition, useEffect, useState } from 'react'

/**
 * A value as it was when the last frame with it was painted. Renders from it follow the frame with the value itself,
 * which `useDeferredValue` may delay, since React renders again before the browser paints.
 */
export function useAfterPaint<Value>(value: Value): Value {
  const [painted, setPainted] = useState(value)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      // The first task after the frame's callbacks runs when it is painted.
      timer = setTimeout(() => startTransition(() => setPainted(value)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [value])
  return painted
}
