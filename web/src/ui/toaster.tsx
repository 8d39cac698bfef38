import { lazy, Suspense, useSyncExternalStore } from 'react'
import { toastStore } from './toast.ts'

const ToastViewport = lazy(() => import('./toast-viewport.tsx').then((m) => ({ default: m.ToastViewport })))

/** Where toasts appear. The part that draws them comes with the first one. */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.snapshot)
  return <Suspense>{toast && <ToastViewport toast={toast} />}</Suspense>
}
