import { Description, DialogBackdrop, DialogPanel, DialogTitle } from '@headlessui/react'
import { X } from 'lucide-react'
import { useRef, type MouseEvent, type PointerEvent, type ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { IconButton } from './icon-button.tsx'
import { Modal } from './modal.tsx'

interface DialogProps {
  title: string
  description?: ReactNode
  onClose: () => void
  /** Off while an action runs whose outcome must be seen. */
  closable?: boolean
  /** Off if a stray press beside it would lose entered text. */
  closesOutside?: boolean
  width?: 'narrow' | 'wide'
  children?: ReactNode
}

/** A modal dialog. It is open while it is rendered; Escape, the close button and a click outside close it. */
export function Dialog({
  title,
  description,
  onClose,
  closable = true,
  closesOutside = true,
  width = 'wide',
  children,
}: DialogProps) {
  const outside = usePressOutside(() => closable && closesOutside && onClose())
  return (
    <Modal onClose={() => closable && onClose()}>
      <DialogBackdrop className="fixed inset-0 bg-veil" />
      <div className="fixed inset-0 overflow-y-auto">
        {/* All of the screen is the panel for Headless UI, which would close it at any press beside a smaller one. */}
        <DialogPanel
          className="flex min-h-full items-end justify-center p-[min(0.75rem,4vw)] sm:items-center sm:p-6"
          {...outside}
        >
          <div
            className={classNames(
              // Relative margins, so that large text keeps its width.
              'w-full animate-rise rounded-card border border-line bg-raised p-[min(1.5rem,7.5vw)] shadow-soft sm:p-8',
              width === 'wide' ? 'max-w-xl' : 'max-w-md',
            )}
          >
            <div className="flex items-start justify-between gap-4">
              <DialogTitle className="min-w-0 font-serif text-2xl">{title}</DialogTitle>
              {closable && <IconButton label="Close" icon={X} onClick={onClose} className="-mt-2 -mr-3" />}
            </div>
            {description && <Description className="mt-2 text-soft">{description}</Description>}
            {children}
          </div>
        </DialogPanel>
      </div>
    </Modal>
  )
}

/** A press that begins and ends beside the box: selecting the text of a field may end there too. */
function usePressOutside(onPress: () => void) {
  const began = useRef(false)
  return {
    onPointerDown: ({ target, currentTarget }: PointerEvent) => {
      began.current = target === currentTarget
    },
    onClick: ({ target, currentTarget }: MouseEvent) => {
      if (began.current && target === currentTarget) onPress()
    },
  }
}
