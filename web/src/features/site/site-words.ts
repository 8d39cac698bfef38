import { addressLine } from '@fellowship/schema/church'
import type { SiteFields } from '@fellowship/schema/site/site.contract'
import { visitLabels } from '@fellowship/schema/site/site.texts'

/** Labels of the fields that an administrator edits. */
export const siteLabels: Record<keyof SiteFields, string> = {
  name: 'Name',
  shortName: 'Short name',
  description: 'What it is',
  address: 'Address',
  map: 'Map',
  services: 'Services',
  timeZone: 'Time zone',
  language: 'Language',
  contactEmail: 'Contact email',
  accent: 'Accent colour',
  logo: 'Logo',
  building: 'Picture of the building',
  hero: 'Picture on Home',
  share: 'Picture of shared links',
  legalLine: 'Legal line',
  versionLabel: 'Version label',
  sftpWindow: 'Weekly window',
  ...visitLabels,
}

/** The value of a field as people read it. */
export function shownField(name: keyof SiteFields, { [name]: value, ...of }: Partial<SiteFields>): string {
  const site: Partial<SiteFields> = { ...of, [name]: value }
  if (name === 'address' && site.address) return addressLine(site.address)
  if (name === 'map') return site.map ? `${site.map.latitude}, ${site.map.longitude}` : 'No map'
  if (name === 'services')
    return (
      site.services?.map(({ weekday, time, words }) => `${weekday} ${time}: ${words}`).join('\n') || 'None'
    )
  if (name === 'sftpWindow' && site.sftpWindow)
    return `${site.sftpWindow.weekday} ${site.sftpWindow.from}–${site.sftpWindow.to}`
  return typeof value === 'string' && value !== '' ? value : '(empty)'
}
