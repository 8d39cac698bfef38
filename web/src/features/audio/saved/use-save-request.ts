import { useCallback, useState } from 'react'
import type * as savedDevice from './saved.device.ts'

/** Sends the user's save requests to this device's store; `noRoom` if the last one could not be stored. */
export function useWish() {
  const [noRoom, setNoRoom] = useState(false)
  /** Resolves to true if it was stored. */
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
