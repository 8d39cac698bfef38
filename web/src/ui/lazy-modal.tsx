import { Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { lazyComponent } from '../lib/lazy-component.tsx'
import { PartBoundary } from './lazy-part.tsx'
import { Spinner } from './spinner.tsx'
import { dialogTimings } from './timings.ts'

/**
 * A modal whose code is loaded when it is first rendered. On a slow connection a spinner shows meanwhile, and another press
 * or Escape cancels it: it must not open over what somebody has turned to. Where the code fails to load, a toast says so.
 */
export function lazyModal<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const Modal = lazyComponent(load, ({ onClose }) => <Loading onCancel={onClose} />)
  return function LazyModal(props: Props): ReactNode {
    return (
      <PartBoundary onFailed={props.onClose}>
        {/* For what is lazy in the modal: a boundary around it would hide the page instead. */}
        <Suspense>
          <Modal {...props} />
        </Suspense>
      </PartBoundary>
    )
  }
}

function Loading({ onCancel }: { onCancel: () => void }): ReactNode {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), dialogTimings.spinnerDelayMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onCancel()
    }
    // Before the press does what it is for, which may be to open the same modal.
    document.addEventListener('click', onCancel, true)
    document.addEventListener('keydown', onKey, true)
    return () => {
      document.removeEventListener('click', onCancel, true)
      document.removeEventListener('keydown', onKey, true)
    }
  }, [onCancel])
  if (!isLong) return null
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center">
      <div className="flex animate-rise rounded-card border border-line bg-raised p-5 shadow-soft">
        <Spinner label="Opening" />
      </div>
    </div>,
    document.body,
  )
}
