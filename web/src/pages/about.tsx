import type { QuotedReference, SiteReference } from '@fellowship/schema/passages/site-references'
import { firstPassages } from '../boot/first-data.ts'
import { ElderBlocks } from '../features/elders/elder-list.view.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { usePassages } from '../features/passages/use-passages.ts'
import { classNames } from '../lib/class-names.ts'
import { usePageTitle } from '../lib/page-title.view.ts'

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

interface PassageQuoteProps {
  reference: string
  /** The meaning of the passage in our own words. */
  thought: string
  /** About the length of the passage: room is reserved for it, so that nothing shifts when it loads. */
  letters: number
}

/**
 * A passage quoted in full, its publisher's line behind the reference: first from the prerendered page, then from the
 * device. If the table lacks it, only the thought and the reference are shown.
 */
function PassageQuote({ reference, thought, letters }: PassageQuoteProps) {
  const passages = usePassages()
  const brought = firstPassages()
  const early = brought?.find((one) => one.reference === reference)
  const passage = passages ? passages.get(reference) : early
  const awaited = !passages && !brought
  return (
    <figure>
      <figcaption className="font-serif text-xl leading-snug">{thought}</figcaption>
      {awaited && (
        <p aria-hidden="true" className="mt-2 text-transparent italic select-none">
          {'letters '.repeat(letters / 8)}
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

/** The prose of 'Who We Are', in the fellowship's own voice. Scripture appears as references only. */
const ourMission =
  'To know Jesus Christ and to make him known: by opening the Bible together, by loving one another in ordinary ' +
  'life, and by serving the town and the farms around us.'

interface OurChurch {
  paragraphs: readonly string[]
  /** Three passages, quoted in full; `letters` is their approximate length. */
  scriptures: readonly { thought: string; reference: QuotedReference; letters: number }[]
}

const ourChurch: OurChurch = {
  paragraphs: [
    'We are a small fellowship of families, couples and single people, some with roots here that go back ' +
      'generations, some newly arrived. What brings us together is not a shared background but a shared Lord.',
    'On Sundays we sing, pray, share the bread and the cup, and listen as the Bible is taught book by book. During ' +
      'the week we meet in homes, share meals, help where there is a need, and keep one another in prayer.',
    'We are led by elders who live and work among us. Nobody has to dress up, give money or have the right answers ' +
      'to come. Bring your questions; we have brought ours.',
  ],
  scriptures: [
    { thought: 'Devoted to teaching, fellowship, bread and prayer', reference: 'Acts 2:42', letters: 118 },
    {
      thought: 'Known as his disciples by our love for one another',
      reference: 'John 13:34-35',
      letters: 220,
    },
    {
      thought: 'Spurring one another on, and not giving up meeting',
      reference: 'Hebrews 10:24-25',
      letters: 235,
    },
  ],
}

interface Belief {
  topic: string
  description: string
  scripture: readonly SiteReference[]
}

const weBelieve: readonly Belief[] = [
  {
    topic: 'The Bible',
    description:
      'The Bible, Old and New Testament, is the word of God, breathed out by him through human writers. It is true ' +
      'in all it teaches and has the last word on what we believe and how we live.',
    scripture: ['2 Timothy 3:16-17', '2 Peter 1:20-21'],
  },
  {
    topic: 'God',
    description:
      'There is one God, who made heaven and earth and holds them in being. He is eternal, holy and good, one in ' +
      'three persons: Father, Son and Holy Spirit.',
    scripture: ['Deuteronomy 6:4', 'Matthew 28:19'],
  },
  {
    topic: 'Jesus Christ',
    description:
      'Jesus Christ is God the Son, who became truly human. Born of a virgin, he lived without sin, died for our ' +
      'sins, rose bodily from the dead, and reigns at the Father’s right hand.',
    scripture: ['John 1:1-14', '1 Corinthians 15:3-4'],
  },
  {
    topic: 'The Holy Spirit',
    description:
      'The Holy Spirit shows us our need of Christ, gives new life to all who believe, lives in them, and equips ' +
      'them with gifts to build up the church and to serve.',
    scripture: ['John 16:7-14', '1 Corinthians 12:4-11'],
  },
  {
    topic: 'Salvation',
    description:
      'We are all cut off from God by sin and cannot mend it ourselves. God forgives and makes new everyone who ' +
      'turns to Jesus and trusts in him. It is his gift, by grace alone.',
    scripture: ['Romans 3:23-24', 'Ephesians 2:8-9'],
  },
  {
    topic: 'The Church',
    description:
      'The church is all who belong to Christ, in every place and age, with him as its head. Each congregation is ' +
      'a family of his people, who baptise, share the Lord’s Supper, and care for one another.',
    scripture: ['Ephesians 4:11-16', 'Colossians 1:18'],
  },
  {
    topic: 'Christian Living',
    description:
      'Those whom God has saved are called to follow Jesus in everything: honest in work, faithful at home, generous ' +
      'to the poor, quick to forgive, and ready to speak of the hope they have.',
    scripture: ['Romans 12:1-2', '1 Peter 3:15'],
  },
  {
    topic: 'Future Hope',
    description:
      'Jesus will come again, in person and in glory. He will raise the dead, judge all people justly, and make all ' +
      'things new, and those who are his will be with him for ever.',
    scripture: ['1 Thessalonians 4:13-18', 'Revelation 21:1-5'],
  },
]
