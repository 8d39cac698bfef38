import { ListPlus } from 'lucide-react'
import { Choice } from '../../ui/choice.tsx'

/** Opens the list of series that a teaching can be added to, from a sheet of choices. */
export function SeriesChoice({ onClick }: { onClick: () => void }) {
  return (
    <Choice icon={<ListPlus aria-hidden="true" className="size-5 shrink-0" />} onClick={onClick}>
      Add to series…
    </Choice>
  )
}
