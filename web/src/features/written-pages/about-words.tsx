import { paragraphs } from '@fellowship/schema/written-pages/page-text'
import type { AboutParts } from '@fellowship/schema/written-pages/written-pages.schema'
import type { ReactNode } from 'react'
import { firstPassages } from '../../boot/first-data.ts'
import { classNames } from '../../lib/class-names.ts'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { usePassages } from '../passages/use-passages.ts'

/** 'Who We Are': mission, church, beliefs, and below them the elders. */
export function AboutWords({ parts, elders }: { parts: AboutParts; elders: ReactNode }) {
  const { quotes, beliefs } = parts
  return (
    <>
      <h1 className="text-title wrap-anywhere">{parts.title}</h1>
      <section aria-labelledby="our-mission" className="mt-8 lg:mt-12">
        <h2 id="our-mission" className="font-sans text-base font-semibold tracking-normal text-wheat-text">
          {parts.missionHeading}
        </h2>
        <p className="mt-3 max-w-3xl font-serif text-2xl leading-snug whitespace-pre-line wrap-anywhere lg:text-3xl lg:leading-snug">
          <ScriptureText text={parts.mission} />
        </p>
      </section>
      <section
        aria-labelledby="our-church"
        className={classNames(
          'mt-16 grid gap-10 lg:mt-24',
          quotes.length > 0 && 'lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)] lg:gap-20',
        )}
      >
        <div>
          <h2 id="our-church" className="text-section">
            {parts.churchHeading}
          </h2>
          <div className="measure mt-5 space-y-5">
            {paragraphs(parts.church).map((paragraph, at) => (
              <p key={at} className="whitespace-pre-line wrap-anywhere">
                <ScriptureText text={paragraph} />
              </p>
            ))}
          </div>
        </div>
        {quotes.length > 0 && (
          <ul className="flex flex-col justify-center gap-8 border-l-2 border-wheat pl-6 lg:pl-8">
            {quotes.map((quote, at) => (
              <li key={at}>
                <PassageQuote {...quote} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {beliefs.length > 0 && (
        <section aria-labelledby="we-believe" className="mt-16 lg:mt-24">
          <h2 id="we-believe" className="text-section">
            {parts.beliefsHeading}
          </h2>
          <div className="mt-8 grid gap-x-16 gap-y-10 sm:grid-cols-2">
            {beliefs.map((belief, at) => (
              <Topic key={at} {...belief} />
            ))}
          </div>
        </section>
      )}
      <section aria-labelledby="meet-our-elders" className="mt-20 lg:mt-28">
        <h2 id="meet-our-elders" className="text-section mb-8 lg:mb-10">
          {parts.eldersHeading}
        </h2>
        {elders}
      </section>
    </>
  )
}

function Topic({ topic, description, scripture }: AboutParts['beliefs'][number]) {
  return (
    <article className="border-t border-line pt-6 wrap-anywhere">
      <h3 className="text-xl">{topic}</h3>
      <p className="mt-3 whitespace-pre-line text-soft">
        <ScriptureText text={description} />
      </p>
      {scripture !== '' && (
        <p className="mt-3 text-small font-medium text-wheat-text">
          <ScriptureText text={scripture} />
        </p>
      )}
    </article>
  )
}

/**
 * A passage quoted in full, its publisher's line behind the reference: first from the prerendered page, then from the
 * device. If the table lacks it, only the thought and the reference are shown.
 */
function PassageQuote({ reference, thought }: AboutParts['quotes'][number]) {
  const passages = usePassages()
  const brought = firstPassages()
  const early = brought?.find((one) => one.reference === reference)
  const passage = passages ? passages.get(reference) : early
  return (
    <figure>
      <figcaption className="font-serif text-xl leading-snug wrap-anywhere">{thought}</figcaption>
      {!passages && !brought && (
        // Room for a passage of usual length, so that little shifts when it loads.
        <p aria-hidden="true" className="mt-2 text-transparent italic select-none">
          {'letters '.repeat(25)}
        </p>
      )}
      {passage && (
        <blockquote className={classNames('mt-2 text-soft italic', !early && 'animate-rise')}>
          <p>“{passage.text}”</p>
        </blockquote>
      )}
      <p className="mt-1.5 text-small font-medium text-wheat-text">
        <ScriptureText text={reference} />
      </p>
    </figure>
  )
}
