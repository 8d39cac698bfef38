import type { QuotedReference, SiteReference } from '@fellowship/schema/passages/site-references'

/** The prose of 'Who We Are', in the fellowship's own voice. Scripture appears as references only. */
export const ourMission =
  'To know Jesus Christ and to make him known: by opening the Bible together, by loving one another in ordinary ' +
  'life, and by serving the town and the farms around us.'

interface OurChurch {
  paragraphs: readonly string[]
  /** Three passages, quoted in full; `letters` is their approximate length. */
  scriptures: readonly { thought: string; reference: QuotedReference; letters: number }[]
}

export const ourChurch: OurChurch = {
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

export interface Belief {
  topic: string
  description: string
  scripture: readonly SiteReference[]
}

export const weBelieve: readonly Belief[] = [
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
