import { Component, Suspense, type ReactNode } from 'react'
import { showToast } from './toast.ts'

/**
 * A part of the page whose code is loaded when it is first rendered. Where loading fails the page stays as it is, a toast
 * says so, and `onFailed` lets the parent close what never opened.
 */
export function LazyPart({ onFailed, children }: { onFailed: () => void; children: ReactNode }) {
  return <Boundary onFailed={onFailed}>{children}</Boundary>
}

class Boundary extends Component<{ onFailed: () => void; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch() {
    showToast({
      title: 'No connection',
      description: 'This part of the site has not arrived yet. Reload the page when you have signal.',
      kind: 'destructive',
    })
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
