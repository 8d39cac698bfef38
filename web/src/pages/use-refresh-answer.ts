import { useEffect, useState } from 'react'
import { runWhenLoaded } from '../lib/run-when-loaded.ts'
import { useOnline } from '../lib/use-online.ts'

/**
 * Pulls if the linked row is absent, as a link may be newer than the replica, and returns whether the server answered.
 * Pulls again when the browser comes online.
 */
export function useRefreshAnswer(
  absent: boolean,
  address: string,
  refresh: () => Promise<boolean>,
): boolean | undefined {
  const online = useOnline()
  const [answer, setAnswer] = useState<{ to: string; answered: boolean }>()
  const question = `${address} ${online}`
  const isAsked = answer?.to === question
  useEffect(() => {
    if (!absent || isAsked) return undefined
    return runWhenLoaded(async () => {
      const answered = await refresh()
      return () => setAnswer({ to: question, answered })
    })
  }, [absent, isAsked, question, refresh])
  return absent && isAsked ? answer.answered : undefined
}
