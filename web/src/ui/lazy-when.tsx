import { Suspense, type ReactNode } from 'react'

/**
 * A lazily loaded part that is shown once `when` becomes true in a transition. Its Suspense boundary comes with it: one that
 * is there already would have the transition wait for the code, and with it what else is in a transition, such as a toast.
 */
export const LazyWhen = ({ when, children }: { when: boolean; children: ReactNode }): ReactNode =>
  when && <Suspense>{children}</Suspense>
