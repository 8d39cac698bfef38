import { Component, Suspense, type ReactNode } from 'react'
import { isMissingPart } from '../lib/missing-part.ts'
import { showToast, type ToastMessage } from './toast.ts'

/**
 * A part of the page whose code is loaded when it is first rendered. Where it cannot be loaded, or cannot be rendered, the
 * page stays as it is, a toast says which of the two, and `onFailed` lets the parent close what never opened.
 */
export function LazyPart({ onFailed, children }: PartProps) {
  return <PartBoundary onFailed={onFailed}>{children ? <Suspense>{children}</Suspense> : null}</PartBoundary>
}

interface PartProps {
  onFailed: () => void
  children: ReactNode
}

/** As `LazyPart`, for a part that loads its code by itself. */
export class PartBoundary extends Component<PartProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    showToast({ ...messageOf(error), kind: 'destructive' })
    this.props.onFailed()
  }

  /** The parent has closed it: the next attempt may fail, and say so, again. */
  static getDerivedStateFromProps({ children }: PartProps) {
    return children ? null : { failed: false }
  }

  override render() {
    return this.state.failed ? null : this.props.children
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
