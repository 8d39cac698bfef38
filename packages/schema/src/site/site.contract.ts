import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { isElderPhoto, logoHash } from '../elders/elder-photo.ts'
import { plainLine, plainLines } from '../plain-text.ts'
import { pageLink, type PageLink } from '../written-pages/written-pages.schema.ts'
import { siteTexts as texts } from './site.texts.ts'

/** Longest SVG of a logo, in characters. */
export const siteLimits = { drawing: 1_000_000 } as const

/** Longest texts, in characters; short enough to stay readable on a phone. */
const limits = { name: 100, shortName: 30, line: 100, text: 2_000, phone: 30, services: 7 } as const

const weekday = z.enum(['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'])
const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: texts.timeInvalid })

/** Whether `make` accepts this text: the platform knows more zones and languages than a list of ours. */
const accepted = (make: (text: string) => unknown) => (text: string) => {
  try {
    make(text)
    return true
  } catch {
    return false
  }
}
const isZone = accepted((timeZone) => new Intl.DateTimeFormat('en', { timeZone }))
const isTag = accepted((text) => new Intl.Locale(text))
/** Also a word of eight letters is a tag, but no language has one. */
const isLanguage = (text: string) => isTag(text) && new Intl.Locale(text).language.length <= 3

const isLogo = (address: string) => logoHash(address) !== undefined
const picture = z.string().refine(isElderPhoto, { error: texts.pictureForeign }).nullable()

/** Everything that makes the product the site of one church. */
export const siteFields = z.object({
  name: plainLine('Name').min(2).max(limits.name),
  /** Under the icon of the installed site. */
  shortName: plainLine('Short name').min(1).max(limits.shortName),
  /** What the church is, such as 'a Christian fellowship'. */
  description: plainLine('Description').max(limits.line),
  address: z.object({
    street: plainLine('Street').max(limits.line),
    locality: plainLine('Town').max(limits.line),
    postalCode: plainLine('Postal code').max(20),
    country: plainLine('Country').max(limits.line),
    countryCode: z.string().regex(/^(?:[A-Z]{2})?$/, { error: texts.countryCodeInvalid }),
  }),
  /** Of the map's pin; null for a site without a map. */
  map: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      zoom: z.int().min(1).max(19),
    })
    .nullable(),
  services: z
    .array(z.object({ weekday, time, words: plainLine('Words of a service').min(1).max(limits.line) }))
    .max(limits.services),
  timeZone: z.string().max(limits.line).refine(isZone, { error: texts.zoneInvalid }),
  language: z.string().max(35).refine(isLanguage, { error: texts.languageInvalid }),
  contactEmail: z.email().max(254),
  /** Hidden if it is empty, as are the texts for a first visit. */
  phone: plainLine('Phone')
    .max(limits.phone, { error: texts.phoneInvalid })
    .regex(/^(?:[+(\d][\d ()-]{3,})?$/, { error: texts.phoneInvalid }),
  accent: z.string().regex(/^#[0-9a-f]{6}$/i, { error: texts.accentInvalid }),
  /** At the foot of each page, such as the number of a registered charity; hidden if it is empty. */
  legalLine: plainLine('Legal line').max(limits.line),
  versionLabel: z
    .string()
    .trim()
    .regex(/^[\w .-]{1,30}$/, { error: texts.versionInvalid }),
  sftpWindow: z
    .object({ weekday, from: time, to: time })
    .refine(({ from, to }) => from < to, { error: texts.windowEmpty }),
  /** Addresses of the church's own pictures; null for those of this product. */
  logo: z.string().refine(isLogo, { error: texts.pictureForeign }).nullable(),
  building: picture,
  /** The wide picture at the top of Home. */
  hero: picture,
  /** For links that people share. */
  share: picture,
  /** The course of a service. */
  expect: plainLines('What to expect').max(limits.text),
  /** Not 'children': a form whose field has that name loses the property of its element. */
  forChildren: plainLines('Children').max(limits.text),
  parking: plainLines('Parking').max(limits.text),
})
export type SiteFields = z.infer<typeof siteFields>

/** Pictures are sent by calls of their own; null returns to those of this product. */
const noPicture = z.null({ error: texts.pictureOwnCall })
export const sitePictures = ['building', 'hero', 'share'] as const
export type SitePicture = (typeof sitePictures)[number]

/** Any subset. A group such as the address is changed as a whole. */
export const siteChanges = siteFields
  .extend({ logo: noPicture, building: noPicture, hero: noPicture, share: noPicture })
  .partial()
export type SiteChanges = z.infer<typeof siteChanges>

/** The identity, and the revision of its last change: of two, the one with the higher revision is newer. */
export type Site = SiteFields & {
  readonly rev: number
  /** To all written pages. Absent in a copy that an earlier release stored on a device. */
  readonly links?: readonly PageLink[] | undefined
}

const siteAnswer = siteFields.extend({ rev: z.int(), links: z.array(pageLink).readonly().optional() })

export const site = {
  read: endpoint({
    method: 'GET',
    path: '/api/site',
    access: 'everyone',
    changes: false,
    summary: 'The identity of this site: name, address, services, contact, look, texts for a first visit.',
    answer: siteAnswer,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/site',
    access: 'admin',
    changes: true,
    summary: 'Changes any of these fields.',
    body: siteChanges.extend({
      /** The revision that the author saw; a later one is a conflict. */
      baseRev: z.int().min(0).optional(),
    }),
    answer: siteAnswer,
  }),
  logo: endpoint({
    method: 'POST',
    path: '/api/site/logo',
    access: 'admin',
    changes: true,
    summary:
      'Replaces the logo: SVG or PNG, smaller than 5MB. Icons and pictures of the site are made from it.',
    encoding: 'multipart',
    files: ['logo'],
    answer: siteAnswer,
  }),
  picture: endpoint({
    method: 'POST',
    path: '/api/site/picture/:which',
    access: 'admin',
    changes: true,
    summary:
      'Replaces the picture of the building, the one on Home, or that of shared links: JPEG, PNG or WebP.',
    params: z.object({ which: z.enum(sitePictures) }),
    encoding: 'multipart',
    files: ['picture'],
    answer: siteAnswer,
  }),
}
