import type { HomeParts } from '@fellowship/schema/written-pages/written-pages.schema'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ScriptureText } from '../passages/scripture-text.tsx'

interface HomeWordsProps {
  /** Undefined until they are known. */
  parts: Partial<HomeParts> | undefined
}

/** The greeting and the introduction on top of Home. */
export function Welcome({ parts, name }: HomeWordsProps & { name: string }) {
  return (
    <>
      <h1 className="text-display max-w-4xl">
        {/* Each part stays on one line if it fits, as balancing would split "Welcome to". */}
        <span className="inline-block">{parts?.greeting}</span> <span className="inline-block">{name}</span>
      </h1>
      {parts ? (
        <p className="text-lead measure mt-6 whitespace-pre-line">
          <ScriptureText text={parts.introduction ?? ''} />
        </p>
      ) : (
        <Skeleton className="mt-6 h-24 max-w-3xl" />
      )}
    </>
  )
}

/** The parts of a service. */
export function ServiceParts({ parts }: HomeWordsProps) {
  return (
    <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
      {parts?.service?.map(({ name, words }, at) => (
        <div key={at}>
          <dt className="font-semibold">{name}</dt>
          <dd className="text-soft">{words}</dd>
        </div>
      ))}
    </dl>
  )
}
