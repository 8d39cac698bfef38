import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { ChevronDown } from 'lucide-react'
import { classNames } from '../../../lib/class-names.ts'
import { fileSize } from '../../../lib/file-size.ts'
import type { RecordingSizes } from '../recording-choice.ts'
import type * as savedDevice from './saved.device.ts'

interface SizeSelectProps {
  teaching: ListedTeaching
  sizes: RecordingSizes
  wish: (note: (device: typeof savedDevice) => Promise<void>) => Promise<boolean>
  className?: string
}

/** Selects the size of a teaching to save; if the other size is saved, it stays until the new one is fetched. */
export function SizeSelect({ teaching, sizes, wish, className }: SizeSelectProps) {
  const choose = (size: 'small' | 'original') => {
    const [wanted, other] = size === 'small' ? [sizes.small, sizes.original] : [sizes.original, sizes.small]
    void wish((device) => device.saveSize(wanted, other, teaching))
  }
  return (
    <span
      className={classNames(
        'relative z-10 inline-flex size-11 shrink-0 items-center justify-center rounded-full text-soft transition-colors hover:bg-pine-tint hover:text-pine has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-pine',
        className,
      )}
    >
      <ChevronDown className="size-4" />
      {/* Invisible, as its options have no room beside the button. */}
      <select
        aria-label={`Size to save: ${shownTitle(teaching)}`}
        value={sizes.current}
        onChange={({ target }) => choose(target.value as 'small' | 'original')}
        className="absolute inset-0 size-full cursor-pointer text-base text-ink opacity-0"
      >
        <option value="small">Small, {fileSize(sizes.small.audioBytes ?? 0)}</option>
        <option value="original">Original, {fileSize(sizes.original.audioBytes ?? 0)}</option>
      </select>
    </span>
  )
}
