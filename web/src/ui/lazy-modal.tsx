import { Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { PartBoundary } from './lazy-part.tsx'
import { Spinner } from './spinner.tsx'

/** Milliseconds after which a modal that has not opened yet is said to be on its way. */
const noticeableMs = 500

/**
 * A modal whose code is loaded when it is first rendered, which opens it as soon as the code is there: React's `lazy` would
 * hold it back until its fallback has stood for 300 ms. Where the line is slow, a sign says that it is coming, and whoever
 * turns to something else meanwhile does not find it opening over that. Where it does not come, a toast says so.
 */
export function lazyModal<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  let code: ComponentType<Props> | undefined
  const loadCode = async () => (code = await load())
  return function LazyModal(props: Props): ReactNode {
    return (
      <PartBoundary onFailed={props.onClose}>
        {/* For what the modal itself loads, else what is around it would be taken away. */}
        <Suspense>
          <Loaded code={code} load={loadCode} props={props} />
        </Suspense>
      </PartBoundary>
    )
  }
}

interface LoadedProps<Props> {
  code: ComponentType<Props> | undefined
  load: () => Promise<ComponentType<Props>>
  props: Props
}

function Loaded<Props extends { onClose: () => void }>({ code, load, props }: LoadedProps<Props>) {
  const [{ Modal, error }, setState] = useState<{
    Modal?: ComponentType<Props> | undefined
    error?: unknown
  }>({
    Modal: code,
  })
  useEffect(() => {
    if (Modal) return undefined
    let isWanted = true
    load().then(
      (loaded) => isWanted && setState({ Modal: loaded }),
      (cause: unknown) => isWanted && setState({ error: cause }),
    )
    return () => {
      isWanted = false
    }
  }, [Modal, load])
  // Told by the boundary.
  if (error) throw error
  return Modal ? <Modal {...props} /> : <OnItsWay onGivenUp={props.onClose} />
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
