import { Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { lazyComponent } from '../lib/lazy-component.tsx'
import { PartBoundary } from './lazy-part.tsx'
import { Spinner } from './spinner.tsx'

/** Milliseconds after which a modal that has not opened yet is said to be on its way. */
const noticeableMs = 500

/**
 * A modal whose code is loaded when it is first rendered. Where the line is slow, a sign says that it is coming, and whoever
 * turns to something else meanwhile does not find it opening over that. Where it does not come, a toast says so.
 */
export function lazyModal<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const Modal = lazyComponent(load, ({ onClose }) => <OnItsWay onGivenUp={onClose} />)
  return function LazyModal(props: Props): ReactNode {
    return (
      <PartBoundary onFailed={props.onClose}>
        {/* For what the modal itself loads, else what is around it would be taken away. */}
        <Suspense>
          <Modal {...props} />
        </Suspense>
      </PartBoundary>
    )
  }
}

/** Given up by any other press, and by Escape. */
function OnItsWay({ onGivenUp }: { onGivenUp: () => void }): ReactNode {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), noticeableMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onGivenUp()
    }
    // Before the press does what it is for, which may be to open the same modal.
    document.addEventListener('click', onGivenUp, true)
    document.addEventListener('keydown', onKey, true)
    return () => {
      document.removeEventListener('click', onGivenUp, true)
      document.removeEventListener('keydown', onKey, true)
    }
  }, [onGivenUp])
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
