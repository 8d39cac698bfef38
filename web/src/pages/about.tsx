import { ElderBlocks } from '../features/elders/elder-list.view.tsx'
import { PassageQuote } from '../features/passages/passage-quote.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'
import { ourChurch, ourMission, weBelieve, type Belief } from './about.content.ts'

/** 'Who We Are': mission, church, the eight things we believe, and the elders. */
export function About() {
  usePageTitle('Who We Are')
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <h1 className="text-title">Who We Are</h1>
      <section aria-labelledby="our-mission" className="mt-8 lg:mt-12">
        <h2 id="our-mission" className="font-sans text-base font-semibold tracking-normal text-wheat-text">
          Our Mission
        </h2>
        <p className="mt-3 max-w-3xl font-serif text-2xl leading-snug lg:text-3xl lg:leading-snug">
          {ourMission}
        </p>
      </section>
      <section
        aria-labelledby="our-church"
        className="mt-16 grid gap-10 lg:mt-24 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)] lg:gap-20"
      >
        <div>
          <h2 id="our-church" className="text-section">
            Our Church
          </h2>
          <div className="measure mt-5 space-y-5">
            {ourChurch.paragraphs.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
        </div>
        <ul className="flex flex-col justify-center gap-8 border-l-2 border-wheat pl-6 lg:pl-8">
          {ourChurch.scriptures.map((quote) => (
            <li key={quote.reference}>
              <PassageQuote {...quote} />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="we-believe" className="mt-16 lg:mt-24">
        <h2 id="we-believe" className="text-section">
          We Believe:
        </h2>
        <div className="mt-8 grid gap-x-16 gap-y-10 sm:grid-cols-2">
          {weBelieve.map((belief) => (
            <Topic key={belief.topic} {...belief} />
          ))}
        </div>
      </section>
      <section aria-labelledby="meet-our-elders" className="mt-20 lg:mt-28">
        <h2 id="meet-our-elders" className="text-section mb-8 lg:mb-10">
          Meet Our Elders
        </h2>
        <ElderBlocks />
      </section>
    </div>
  )
}

function Topic({ topic, description, scripture }: Belief) {
  return (
    <article className="border-t border-line pt-6">
      <h3 className="text-xl">{topic}</h3>
      <p className="mt-3 text-soft">{description}</p>
      <p className="mt-3 text-small font-medium text-wheat-text">
        <ScriptureText text={scripture.join('; ')} />
      </p>
    </article>
  )
}
