import * as Radix from '@radix-ui/react-toast'
import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { classNames } from '../lib/class-names.ts'
import { listen } from '../lib/listen.ts'
import { dismissToast, type ShownToast, toastTimings } from './toast.ts'

/** Renders the current toast. F8 moves the focus to it, a swipe to the right dismisses it. */
export function ToastViewport({ toast }: { toast: ShownToast }) {
  const destructive = toast.kind === 'destructive'
  const focusedBefore = useFocusedBefore()
  const [mountedId, setMountedId] = useState<number>()
  const edge = useFreeEdge(mountedId)
  return (
    <Radix.Provider
      duration={toastTimings.displayMs}
      swipeDirection={toastTimings.swipeDirection}
      swipeThreshold={toastTimings.swipeThresholdPx}
      label="Message"
    >
      <Radix.Root
        key={toast.id}
        open={toast.open}
        type={destructive ? 'foreground' : 'background'}
        duration={mountedId === toast.id ? (toast.displayMs ?? toastTimings.displayMs) : Infinity}
        onOpenChange={(open) => {
          if (open) return
          dismissToast(toast.id)
          // Radix leaves the focus with the viewport, which is then empty. If an action has opened another element, the focus stays there.
          if (isInToasts(document.activeElement))
            setTimeout(() => isNowhere() && focusedBefore.current?.focus())
        }}
        className={classNames(
          'toast flex items-start gap-3 max-h-[calc(100dvh-2rem)] overflow-y-auto rounded-card border p-[min(1rem,5vw)] shadow-soft data-[state=open]:animate-rise',
          destructive ? 'border-brick bg-brick text-on-brick' : 'border-line bg-raised text-ink',
        )}
      >
        <Mounted onMount={() => setMountedId(toast.id)} />
        <div className="min-w-0 grow py-1">
          <Radix.Title className="font-semibold">{toast.title}</Radix.Title>
          {toast.description && (
            <Radix.Description className={classNames('text-small', !destructive && 'text-soft')}>
              {toast.description}
            </Radix.Description>
          )}
        </div>
        {toast.action && (
          <Radix.Action
            altText={toast.action.label}
            onClick={toast.action.onPress}
            className="min-h-11 shrink-0 rounded-card px-3 font-medium text-pine underline underline-offset-4 hover:bg-pine-tint"
          >
            {toast.action.label}
          </Radix.Action>
        )}
        <Radix.Close
          aria-label="Close this message"
          className="-mt-1 -mr-1 inline-flex size-11 shrink-0 items-center justify-center rounded-full hover:bg-current/10"
        >
          <X className="size-5" />
        </Radix.Close>
      </Radix.Root>
      <Radix.Viewport
        data-edge={edge}
        hotkey={[toastTimings.hotkey]}
        className="fixed right-0 bottom-0 z-50 w-104 max-w-full p-[min(1rem,5vw)] outline-none empty:hidden sm:p-6"
      />
    </Radix.Provider>
  )
}

/**
 * Calls back when the toast is in the page. Radix brings it there in a transition, which on a busy device may take as long as
 * the toast is to be shown: its time is counted from then on.
 */
function Mounted({ onMount }: { onMount: () => void }): null {
  const mounted = useEffectEvent(onMount)
  useEffect(() => mounted(), [])
  return null
}

/** The element that had the focus before the toasts. */
function useFocusedBefore(): RefObject<HTMLElement | null> {
  const before = useRef<HTMLElement | null>(null)
  useEffect(() => {
    const note = ({ target, relatedTarget }: FocusEvent) => {
      const from = relatedTarget as HTMLElement | null
      if (isInToasts(target as Element) && !isInToasts(from)) before.current = from
    }
    return listen(document, ['focusin'], note)
  }, [])
  return before
}

/** The edge of the screen at which the toast does not lie over the control in use, or the form or dialog around it. */
function useFreeEdge(toastId: number | undefined): 'top' | 'bottom' {
  const [edge, setEdge] = useState<'top' | 'bottom'>('bottom')
  useEffect(() => {
    const choose = () => {
      const used = document.activeElement
      if (used && !isNowhere()) setEdge(isUnderToast(used) ? 'top' : 'bottom')
    }
    choose()
    return listen(document, ['focusin'], choose)
  }, [toastId])
  return edge
}

function isUnderToast(used: Element): boolean {
  const { width, height } = document.querySelector('#toasts .fixed')?.getBoundingClientRect() ?? new DOMRect()
  const edge = document.getElementById('notices')?.getBoundingClientRect().top ?? innerHeight
  const bottom = edge - height
  const around = (used.closest('[role="dialog"], form') ?? used).getBoundingClientRect()
  // One as high as the screen is under the toast at either edge.
  const box = around.top < height ? used.getBoundingClientRect() : around
  return box.bottom > bottom && box.right > innerWidth - width
}

const isInToasts = (element: Element | null) => Boolean(element?.closest('#toasts'))

const isNowhere = () => document.activeElement === document.body || isInToasts(document.activeElement)
