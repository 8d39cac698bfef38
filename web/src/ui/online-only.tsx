import { WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { useOnline } from '../lib/use-online.ts'
import { Banner } from './banner.tsx'

/** Disables its content when the browser is offline, and shows the reason. */
export function OnlineOnly({ children }: { children: ReactNode }) {
  const online = useOnline()
  return (
    <>
      {!online && (
        <div className="mb-8">
          <Banner tone="wheat" title="You are offline" icon={WifiOff}>
            Administration needs the server: changes are possible again when you’re back online.
          </Banner>
        </div>
      )}
      <fieldset disabled={!online} className="min-w-0">
        {children}
      </fieldset>
    </>
  )
}
