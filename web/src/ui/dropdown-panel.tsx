import { DialogPanel } from '@headlessui/react'
import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Modal } from './modal.tsx'

interface DropdownPanelProps {
  label: string
  onClose: () => void
  /** Dims the page on wide screens too, as over a dialog. */
  veiled?: boolean
  children: ReactNode
}

/**
 * A panel under the top right corner of the page, as wide as a narrow screen. It is open while it is rendered, traps
 * the focus, and returns it to the button that opened it.
 */
export function DropdownPanel({ label, onClose, veiled = false, children }: DropdownPanelProps) {
  return (
    <Modal onClose={onClose} aria-label={label}>
      <div className={classNames('fixed inset-0 overflow-y-auto bg-veil', !veiled && 'sm:bg-transparent')}>
        <div className="page flex min-h-full items-start justify-end pt-20 pb-6">
          <DialogPanel className="w-full animate-rise rounded-card border border-line bg-raised p-[min(1.5rem,7.5vw)] shadow-soft sm:w-96">
            {children}
          </DialogPanel>
        </div>
      </div>
    </Modal>
  )
}
