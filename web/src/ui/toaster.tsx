import { Component, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { whenIdle } from '../boot/when-idle.ts'
import { useStore } from '../lib/lazy-store.ts'
import { toastStore, type ShownToast } from './toast.ts'

type Viewport = ComponentType<{ toast: ShownToast }>

/**
 * Where toasts appear: beside the page in the document, so that an open dialog neither silences them nor takes a
 * click on them for a click outside. The part that draws them is fetched while nobody waits; should it be missing
 * when a message comes (the line may be what the message is about), the words appear without it.
 */
export function Toaster() {
  const toast = useStore(toastStore)
  const [viewport, setViewport] = useState<{ draw: Viewport } | null>(null)
  const [missing, setMissing] = useState(false)
  const wanted = toast !== null && viewport === null
  useEffect(() => {
    let left = false
    const fetchIt = () => {
      loadViewport().then(
        (draw) => !left && setViewport({ draw }),
        () => !left && setMissing(true),
      )
    }
    const stop = wanted ? fetchIt() : whenIdle(fetchIt)
    return () => {
      left = true
      stop?.()
    }
  }, [wanted])
  if (!toast || (!viewport && !missing)) return null
  const plain = toast.open ? <PlainToast toast={toast} /> : null
  const Drawn = viewport?.draw
  return createPortal(
    Drawn ? (
      <FallBack to={plain}>
        <Drawn toast={toast} />
      </FallBack>
    ) : (
      plain
    ),
    toastPlace(),
  )
}

const loadViewport = async (): Promise<Viewport> => (await import('./toast-viewport.tsx')).ToastViewport

/** The element beside the page; `index.html` brings it, a page of a test may not. */
function toastPlace(): HTMLElement {
  const present = document.getElementById('toasts')
  if (present) return present
  const made = document.createElement('div')
  made.id = 'toasts'
  document.body.append(made)
  return made
}

function PlainToast({ toast }: { toast: ShownToast }) {
  const destructive = toast.kind === 'destructive'
  return (
    <div className="fixed right-0 bottom-0 z-50 w-104 max-w-full p-4 sm:p-6">
      <div
        role={destructive ? 'alert' : 'status'}
        className={`rounded-card border p-4 pl-5 shadow-soft ${destructive ? 'border-brick bg-brick text-on-brick' : 'border-line bg-raised text-ink'}`}
      >
        <p className="font-semibold">{toast.title}</p>
        {toast.description && <p className="text-small">{toast.description}</p>}
      </div>
    </div>
  )
}

/** A message must never take the page with it. */
class FallBack extends Component<{ to: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.to : this.props.children
  }
}
