import { usePageTitle } from '../lib/page-title.view.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ListeningSkeleton } from './listening-skeleton.tsx'

const ListeningParts = lazyPart(() => import('./listening-parts.tsx'), 'ListeningParts', {
  placeholder: () => <ListeningSkeleton />,
  failure: 'page',
})

/** The teachings that the listener heard and marked on this device, with the notes. Needs no connection. */
export function ListeningPage() {
  usePageTitle('My listening')
  return (
    <div className="page pt-0 pb-20 sm:pt-6 lg:pb-28">
      <h1 className="text-title">My listening</h1>
      {/* The server renders the headings: they are there before the code that reads the device. */}
      {useHydrated() ? <ListeningParts /> : <ListeningSkeleton />}
    </div>
  )
}
