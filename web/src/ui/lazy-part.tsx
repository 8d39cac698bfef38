import { Component, Suspense, type ReactNode } from 'react'
import { isMissingPart } from '../lib/missing-part.ts'
import { showToast, type ToastMessage } from './toast.ts'

/**
 * A part of the page whose code is loaded when it is first rendered. Where it cannot be loaded, or cannot be rendered, the
 * page stays as it is, a toast says which of the two, and `onFailed` lets the parent close what never opened.
 */
export function LazyPart({ onFailed, children }: { onFailed: () => void; children: ReactNode }) {
  return <Boundary onFailed={onFailed}>{children}</Boundary>
}

class Boundary extends Component<{ onFailed: () => void; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    showToast({ ...messageOf(error), kind: 'destructive' })
    this.props.onFailed()
  }

  /** The parent has closed it: the next attempt may fail, and say so, again. */
  static getDerivedStateFromProps({ children }: { children: ReactNode }) {
    return children ? null : { failed: false }
  }

  override render() {
    return this.state.failed ? null : <Suspense>{this.props.children}</Suspense>
  }
}

function messageOf(error: unknown): ToastMessage {
  if (!isMissingPart(error)) {
    const said = error instanceof Error ? error.message : String(error)
    return { title: 'This part could not be shown', description: `${said} ${again}` }
  }
  return navigator.onLine
    ? { title: 'This part could not be loaded', description: again }
    : { title: 'No connection', description: again }
}

const again = 'Reload the page and try again.'
