import { DialogBackdrop, DialogPanel } from '@headlessui/react'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './icon-button.tsx'
import { Modal } from './modal.tsx'

interface DrawerProps {
  label: string
  onClose: () => void
  children: ReactNode
}

/** A modal panel at the right edge for narrow screens. It is open while it is rendered. */
export function Drawer({ label, onClose, children }: DrawerProps) {
  return (
    <Modal onClose={onClose} aria-label={label}>
      <DialogBackdrop className="fixed inset-0 bg-veil" />
      <DialogPanel className="fixed inset-y-0 right-0 flex w-88 max-w-[88vw] animate-slide-in flex-col overflow-y-auto bg-paper p-5 shadow-soft forced-colors:border">
        <div className="flex justify-end">
          <IconButton label="Close the menu" onClick={onClose}>
            <X aria-hidden="true" className="size-6" />
          </IconButton>
        </div>
        {children}
      </DialogPanel>
    </Modal>
  )
}
