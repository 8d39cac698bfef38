import { Suspense, type ReactNode } from 'react'

/**
 * A part with code of its own that is shown once `when` becomes true in a transition. Its boundary comes with it: around it,
 * the transition would wait for the code, and with it what else is in a transition then, such as a toast.
 */
export const Late = ({ when, children }: { when: boolean; children: ReactNode }): ReactNode =>
  when && <Suspense>{children}</Suspense>
