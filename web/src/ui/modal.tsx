import { Dialog } from '@headlessui/react'
import { useRouter, type RegisteredRouter } from '@tanstack/react-router'
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { useRestoredFocus } from './use-restored-focus.ts'

interface ModalProps {
  /** Its name, if it has no DialogTitle. */
  'aria-label'?: string
  onClose: () => void
  children: ReactNode
}

/** The base of every modal: it lies over the page, traps the focus, and returns it. Open while it is rendered. */
export function Modal({ children, ...props }: ModalProps) {
  const dialog = useRef<HTMLDivElement>(null)
  useOpenerFocus()
  const isOnTop = useOnTop()
  useCloseRequest(isOnTop, props.onClose)
  useBack(isOnTop, props.onClose)
  const [open, show] = useReducer(() => true, false)
  // It opens after the first rendering, before a paint. Headless UI 2.2 makes the page behind inert as the dialog opens, and
  // finds the page only after that rendering: a dialog that is open from the beginning leaves the page within reach.
  useLayoutEffect(show, [show])
  return (
    <Dialog ref={dialog} open={open} className="fixed inset-0 z-40" {...props}>
      <RestoredFocus within={dialog} />
      {children}
    </Dialog>
  )
}

/** In the dialog, as its element is there only while it is open. */
function RestoredFocus({ within }: { within: RefObject<HTMLElement | null> }): null {
  useRestoredFocus(within)
  return null
}

/**
 * Returns the focus to the element that had it when the modal opened. Headless UI does so by itself, but only if its code was loaded
 * before the press that opened the modal: the first modal of a visit may load it.
 */
function useOpenerFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // After Headless UI, and after any other element that takes the focus as it closes, such as another modal.
      setTimeout(() => {
        if (document.activeElement === document.body) (opener as HTMLElement | null)?.focus()
      })
    },
    [opener],
  )
}

/**
 * The back gesture of Android closes the modal instead of leaving the page, as does that of a screen reader: CloseWatcher
 * (HTML Standard). Headless UI handles Escape itself, and prevents CloseWatcher's reaction to it. A watcher is spent once
 * it was asked, but the modal may stay, with a question over it.
 */
function useCloseRequest(isOnTop: () => boolean, onClose: () => void): void {
  // Without a press between them, browsers ask the watchers of two modals at once.
  const close = useEffectEvent(() => isOnTop() && onClose())
  useEffect(() => {
    const { CloseWatcher } = window as Partial<WithCloseWatcher>
    if (!CloseWatcher) return undefined
    let watcher: InstanceType<typeof CloseWatcher>
    const watch = () => {
      watcher = new CloseWatcher()
      watcher.addEventListener('close', () => {
        watch()
        close()
      })
    }
    watch()
    return () => watcher.destroy()
  }, [])
}

/** The open modals, the one on top last. */
const openModals: object[] = []

/** Returns a function that checks whether this modal is on top. */
function useOnTop(): () => boolean {
  const [own] = useState({})
  useEffect(() => {
    openModals.push(own)
    return () => void openModals.splice(openModals.indexOf(own), 1)
  }, [own])
  return () => openModals.at(-1) === own
}

/**
 * The browser's Back closes the modal on top and stays on the page: without CloseWatcher that is the back gesture,
 * and elsewhere the button. One that leaves the site cannot be held back.
 */
function useBack(isOnTop: () => boolean, onClose: () => void): void {
  const history = (useRouter({ warn: false }) as RegisteredRouter | undefined)?.history
  const close = useEffectEvent(() => {
    if (!isOnTop()) return false
    onClose()
    return true
  })
  useEffect(
    () =>
      history?.block({
        blockerFn: ({ action }) => action === 'BACK' && close(),
        enableBeforeUnload: false,
      }),
    [history],
  )
}

/** TypeScript has no type for it yet. */
interface WithCloseWatcher {
  CloseWatcher: new () => EventTarget & { destroy(): void }
}
