import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'

interface NoticeProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
  onClose?: () => void
}

/** A small sheet at the bottom of the page that covers no control. */
export function Notice({ title, children, actions, onClose }: NoticeProps) {
  return (
    // It contains paragraphs and buttons, which are invalid in <output>.
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="status"
      className="@container pointer-events-auto w-full max-w-lg animate-rise rounded-card border border-line bg-raised p-[min(1rem,5vw)] pl-[min(1.25rem,5vw)] shadow-soft"
    >
      {/* If the text is large for the sheet, it uses the width of the cross too. */}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
        <p className="col-[1/2] font-semibold">{title}</p>
        {children && <div className="col-[1/-1] text-small text-soft @min-[18rem]:col-[1/2]">{children}</div>}
        {actions && <div className="col-span-full mt-3 flex flex-wrap gap-3">{actions}</div>}
        {onClose && (
          <IconButton
            label="Close this message"
            onClick={onClose}
            className="col-start-2 row-start-1 -mt-2 -mr-2 self-start @min-[18rem]:row-end-3"
          >
            <X aria-hidden="true" className="size-5" />
          </IconButton>
        )}
      </div>
    </div>
  )
}
