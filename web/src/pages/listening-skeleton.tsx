import { Skeleton } from '../ui/skeleton.tsx'

/** The first parts of My listening without their content: in the first HTML, and until this device has been read. */
export function ListeningSkeleton() {
  return (
    <>
      <output className="sr-only">Loading</output>
      {['Continue', 'Up next', 'Saved'].map((title) => (
        <section key={title} className="mt-8 max-w-3xl">
          <h2 className="text-section">{title}</h2>
          <Skeleton className="mt-3 h-6 w-3/5 max-w-sm" />
        </section>
      ))}
    </>
  )
}
