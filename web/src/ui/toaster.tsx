import { Component, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { whenIdle } from '../boot/phases.ts'
import { useStore } from '../lib/lazy-store.ts'
import { toastStore, type ShownToast } from './toast.ts'

type ToastComponent = ComponentType<{ toast: ShownToast }>

/**
 * Renders toasts into an element beside the page, so that an open dialog neither makes them inert nor takes a click on
 * them for a click outside. The viewport's code is loaded while the page is idle; if that fails (a toast is often
 * about a lost connection), a plain box shows the text.
 */
export function Toaster() {
  const toast = useStore(toastStore)
  const [viewport, setViewport] = useState<{ Component: ToastComponent } | null>(null)
  const [missing, setMissing] = useState(false)
  const wanted = toast !== null && viewport === null
  useEffect(() => {
    let unmounted = false
    const load = () => {
      loadViewport().then(
        (Component) => !unmounted && setViewport({ Component }),
        () => !unmounted && setMissing(true),
      )
    }
    const stop = wanted ? load() : whenIdle(load)
    return () => {
      unmounted = true
      stop?.()
    }
  }, [wanted])
  if (!toast || (!viewport && !missing)) return null
  const plain = toast.open ? <PlainToast toast={toast} /> : null
  const Viewport = viewport?.Component
  return createPortal(
    Viewport ? (
      <FallBack to={plain}>
        <Viewport toast={toast} />
      </FallBack>
    ) : (
      plain
    ),
    toastPlace(),
  )
}

const loadViewport = async (): Promise<ToastComponent> => (await import('./toast-viewport.tsx')).ToastViewport

/** The element beside the page; `index.html` has it, the document of a test may not. */
export function toastPlace(): HTMLElement {
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

/** A toast that fails to render must not unmount the page. */
class FallBack extends Component<{ to: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.to : this.props.children
  }
}
