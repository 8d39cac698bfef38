import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'

interface NoticeProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
  onClose?: () => void
}

/** A small sheet at the bottom of the page that takes nothing away. */
export function Notice({ title, children, actions, onClose }: NoticeProps) {
  return (
    // It holds paragraphs and buttons, which <output> may not.
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="status"
      className="pointer-events-auto flex w-full max-w-lg animate-rise items-start gap-3 rounded-card border border-line bg-raised p-4 pl-5 shadow-soft"
    >
      <div className="min-w-0 grow">
        <p className="font-semibold">{title}</p>
        {children && <div className="text-small text-soft">{children}</div>}
        {actions && <div className="mt-3 flex flex-wrap gap-3">{actions}</div>}
      </div>
      {onClose && (
        <IconButton label="Close this message" onClick={onClose} className="-mt-2 -mr-2">
          <X aria-hidden="true" className="size-5" />
        </IconButton>
      )}
    </div>
  )
}
