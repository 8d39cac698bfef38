import { Component, Suspense, type ReactNode } from 'react'
import { showToast } from './toast.ts'

/**
 * A part of the page whose code comes when it is asked for. When it does not come, the page stays as it is and says
 * so; whoever asked is told, to close what never opened.
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

  /** Closed again: the next one to ask is told anew. */
  static getDerivedStateFromProps({ children }: { children: ReactNode }) {
    return children ? null : { failed: false }
  }

  override render() {
    return this.state.failed ? null : <Suspense>{this.props.children}</Suspense>
  }
}
