import { church } from '../church.ts'

/** Descriptions of the site for search engines, shared links and podcast directories. */
export function siteWords() {
  const { name, address, services } = church()
  const place = [address.locality, address.country].filter((part) => part !== '').join(', ')
  const inPlace = place === '' ? '' : ` in ${place}`
  const [first] = services
  const times = first ? `Join us ${first.words.replace(/^E/, 'e')}, and listen` : 'Listen'
  return {
    description: `A Bible-believing church${inPlace}. ${times} to the teaching online.`,
    about: `Who we are: our mission, our church, what we believe, and the elders of ${name}.`,
    teaching: `Listen to the teaching of ${name}: search by title, speaker, topic or passage, play and download.`,
    browse: `The series, speakers and books of the Bible in the teaching of ${name}.`,
    podcast: {
      title: `${name}: Teaching`,
      description: `The ${first?.weekday ?? 'Sunday'} teaching of ${name}${inPlace}: the Bible opened, explained and applied to life.`,
      category: { text: 'Religion & Spirituality', sub: 'Christianity' },
      /** ISO 639 without a region: every directory accepts it. */
      language: new Intl.Locale(church().language).language,
    },
  } as const
}
