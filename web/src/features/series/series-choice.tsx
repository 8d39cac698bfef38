import { ListPlus } from 'lucide-react'
import { Choice } from '../../ui/choice.tsx'

/** Leads to the series that a teaching can be added to, in a sheet of choices. */
export function SeriesChoice({ onClick }: { onClick: () => void }) {
  return (
    <Choice icon={<ListPlus aria-hidden="true" className="size-5 shrink-0" />} onClick={onClick}>
      Add to series…
    </Choice>
  )
}
