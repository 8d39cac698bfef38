import {
  Component,
  startTransition,
  Suspense,
  useEffect,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react'
import { createPortal } from 'react-dom'
import { listen } from '../lib/listen.ts'
import { isMissingPart } from '../lib/missing-part.ts'
import { PageSpinner, Spinner } from './spinner.tsx'
import { showToast, type ToastMessage } from './toast.ts'

interface LazyPartOptions<Props> {
  /**
   * Rendered while the code loads. A part with a placeholder replaces it at once; one without appears in a transition, in
   * slices between which the page can respond.
   */
  placeholder?: (props: Props) => ReactNode
  /**
   * If the code fails to load: a toast, also if the part fails to render (by default); the error page; or nothing, if the
   * page works without the part.
   */
  failure?: 'toast' | 'page' | 'ignore'
}

/** Called when the part has failed, so that the parent closes a dialog that never opened. */
interface FailureProps {
  onFailed?: () => void
}

/**
 * A part of a page whose code loads when it is first rendered. If that fails, it loads again when it is mounted again. React's
 * `lazy` would show a placeholder for at least 300 ms, hold up other transitions and remember a failure for ever.
 */
export function lazyPart<Module, Name extends keyof Module, Props extends object = PropsOf<Module[Name]>>(
  load: () => Promise<Module>,
  name: Name,
  { placeholder, failure = 'toast' }: LazyPartOptions<NoInfer<Props>> = {},
): ComponentType<Props & FailureProps> {
  let code: ComponentType<Props> | undefined
  const loadCode = async () => (code = (await load())[name] as ComponentType<Props>)
  const show: (update: () => void) => void = placeholder ? (update) => update() : startTransition
  function Part({ props }: { props: Props }): ReactNode {
    const [{ Loaded, error }, setState] = useState<State<Props>>({ Loaded: code })
    useEffect(() => {
      if (Loaded) return undefined
      let isMounted = true
      const finish = (state: State<Props>) => {
        if (isMounted) show(() => setState(state))
      }
      loadCode().then(
        (loaded) => finish({ Loaded: loaded }),
        (error: unknown) => {
          if (failure !== 'ignore') finish({ error })
        },
      )
      return () => {
        isMounted = false
      }
    }, [Loaded])
    if (error) throw error
    if (!Loaded) return placeholder?.(props)
    // Without this boundary, a part that suspends would hide the page around it.
    return (
      <Suspense>
        <Loaded {...props} />
      </Suspense>
    )
  }
  return function LazyPart({ onFailed, ...rest }: Props & FailureProps): ReactNode {
    const props = rest as unknown as Props & { onClose?: () => void }
    const part = <Part props={props} />
    if (failure !== 'toast') return part
    return <ToastBoundary onFailed={onFailed ?? props.onClose}>{part}</ToastBoundary>
  }
}

type PropsOf<Part> = Part extends ComponentType<infer Props extends object> ? Props : object

interface State<Props> {
  Loaded?: ComponentType<Props> | undefined
  error?: unknown
}

/** Options of a part that is a page inside a page: it cannot be closed. */
export const inPage: LazyPartOptions<object> = { placeholder: () => <PageSpinner />, failure: 'page' }

/** Options of a part without which the page works. */
export const optional: LazyPartOptions<object> = { failure: 'ignore' }

/**
 * Options of a dialog. On a slow connection a spinner is shown, and another press or Escape cancels the dialog, so that it
 * does not open over another part of the page.
 */
export const asDialog: LazyPartOptions<{ onClose: () => void }> = {
  placeholder: ({ onClose }) => <Opening onCancel={onClose} />,
}

/** A dialog whose code is still loading shows a spinner after half a second: most load sooner. */
const spinnerDelayMs = 500

function Opening({ onCancel }: { onCancel: () => void }): ReactNode {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), spinnerDelayMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const cancel = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === 'Escape') onCancel()
    }
    // Before the press takes effect, which may be to open the same dialog.
    return listen(document, ['click', 'keydown'], cancel, { capture: true })
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

interface ToastBoundaryProps {
  onFailed: (() => void) | undefined
  children: ReactNode
}

/** If the part fails, the page stays as it is, and a toast shows whether loading or rendering failed. */
class ToastBoundary extends Component<ToastBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    showToast({ ...messageOf(error), kind: 'destructive' })
    this.props.onFailed?.()
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
