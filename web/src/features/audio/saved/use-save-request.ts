import { useCallback, useState } from 'react'
import type * as savedDevice from './saved.device.ts'

/** What a person wishes of this device's recordings, and whether the last wish could not even be written down. */
export function useWish() {
  const [noRoom, setNoRoom] = useState(false)
  /** Resolves whether it was noted. */
  const wish = useCallback(async (note: (device: typeof savedDevice) => Promise<void>): Promise<boolean> => {
    const noted = await import('./saved.device.ts').then(note).then(
      () => true,
      () => false,
    )
    setNoRoom(!noted)
    return noted
  }, [])
  return { wish, noRoom }
}
