/** The reference of the tagline on the teaching page. */
export const taglineReference = 'Ephesians 4:15'

/** Every reference on the pages of a new site: the first start adds them from the public-domain translation. */
export const siteReferences = [
  'Acts 2:42',
  'John 13:34-35',
  'Hebrews 10:24-25',
  '2 Timothy 3:16-17',
  '2 Peter 1:20-21',
  'Deuteronomy 6:4',
  'Matthew 28:19',
  'John 1:1-14',
  '1 Corinthians 15:3-4',
  'John 16:7-14',
  '1 Corinthians 12:4-11',
  'Romans 3:23-24',
  'Ephesians 2:8-9',
  'Ephesians 4:11-16',
  'Colossians 1:18',
  'Romans 12:1-2',
  '1 Peter 3:15',
  '1 Thessalonians 4:13-18',
  'Revelation 21:1-5',
  taglineReference,
] as const
