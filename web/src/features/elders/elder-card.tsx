import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { Link } from '@tanstack/react-router'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { ElderPicture } from './elder-picture.tsx'
import { aboutAnchor, homeAnchor, scrollToBlock, scrollToCard } from './scroll-to-elder.ts'

/** An elder on Home: name and short bio. The whole card links to the elder on About. */
export function ElderCard({ elder }: { elder: Elder }) {
  return (
    <article id={homeAnchor(elder.name)} className="h-full scroll-my-8">
      <Link
        to="/about"
        onClick={() => scrollToBlock(elder.name)}
        className="group flex h-full flex-wrap gap-5 rounded-card border border-line bg-raised p-4 shadow-soft transition-colors hover:border-pine sm:flex-col sm:flex-nowrap sm:gap-0 sm:p-0"
      >
        <div className="w-[min(7rem,35vw)] shrink-0 sm:w-full">
          <ElderPicture elder={elder} sizes={cardSizes} className="sm:rounded-b-none" />
        </div>
        <div className="flex min-w-0 grow basis-18 flex-col wrap-anywhere sm:basis-auto sm:p-6">
          <h3 className="text-xl">{elder.name}</h3>
          <p className="mt-2 line-clamp-4 text-soft sm:line-clamp-none">{elder.shortBio}</p>
          <p className="mt-auto pt-4 font-medium text-pine underline-offset-4 group-hover:underline print:hidden">
            Read more →
          </p>
        </div>
      </Link>
    </article>
  )
}

/** An elder on About: name, role and extended bio. The whole block links back to the card on Home. */
export function ElderBlock({ elder }: { elder: Elder }) {
  return (
    <article id={aboutAnchor(elder.name)} className="scroll-my-8">
      <div className="group relative grid gap-6 rounded-card border border-line bg-raised p-5 shadow-soft transition-colors hover:border-pine sm:grid-cols-[14rem_minmax(0,1fr)] sm:gap-8 sm:p-6 lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-12">
        <ElderPicture elder={elder} sizes={blockSizes} />
        <div className="flex min-w-0 flex-col wrap-anywhere">
          <h3 className="text-2xl">{elder.name}</h3>
          <p className="mt-1 font-medium text-wheat-text">{elder.role}</p>
          <div className="measure mt-4 space-y-5 text-soft">
            {paragraphsOf(elder.extendedBio).map((paragraph, at) => (
              // Stacked above the link that covers the block: a reference opens its passage.
              <p key={at} className="pointer-events-none relative z-10 [&_button]:pointer-events-auto">
                <ScriptureText text={paragraph} />
              </p>
            ))}
          </div>
          <p className="mt-auto pt-6 font-medium text-pine underline-offset-4 group-hover:underline print:hidden">
            <Link to="/" onClick={() => scrollToCard(elder.name)} className="after:absolute after:inset-0">
              <span className="sr-only">{elder.name}: </span>Return to the home page →
            </Link>
          </p>
        </div>
      </div>
    </article>
  )
}

const cardSizes = '(min-width: 64rem) 21rem, (min-width: 40rem) 30vw, 7rem'
const blockSizes = '(min-width: 64rem) 18rem, (min-width: 40rem) 14rem, calc(100vw - 5rem)'

/** A blank line begins a new paragraph. */
const paragraphsOf = (text: string) => text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '')
