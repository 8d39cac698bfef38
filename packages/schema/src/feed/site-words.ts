import { church } from '../church.ts'

/** Descriptions of the site for search engines, shared links and podcast directories. */
export const siteWords = {
  description:
    `A Bible-believing church in ${church.address.locality}, ${church.address.country}. Join us ` +
    `${church.service.sentence.replace(/^E/, 'e')}, and listen to the teaching online.`,
  about: `Who we are: our mission, our church, what we believe, and the elders of ${church.name}.`,
  teaching: `Listen to the teaching of ${church.name}: search by title, speaker, topic or passage, play and download.`,
  podcast: {
    title: `${church.name}: Teaching`,
    description: `The Sunday teaching of ${church.name} in ${church.address.locality}, ${church.address.country}: the Bible opened, explained and applied to life.`,
    category: { text: 'Religion & Spirituality', sub: 'Christianity' },
    /** ISO 639 without a region: every directory accepts it. */
    language: 'en',
  },
} as const
