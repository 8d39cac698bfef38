import { addressLine, church } from '@fellowship/schema/church'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { accentStyle, accentTokens } from '@fellowship/schema/site/accent'
import { siteDataId } from '@fellowship/schema/pages/prerender-data'
import type { Context } from '../../context.ts'
import type { FilledFiles } from '../../http/static-files.ts'
import { lookVersion } from '../site/site.ts'
import { dataBlock, element, escapeMarkup, textElement } from '../../machine/xml.ts'

/** The page and the manifest, which the build makes for no church in particular. */
export const filledFiles = ({ contactEmail = '' }: Pick<Context['config'], 'contactEmail'>): FilledFiles => ({
  revision: church,
  settings: contactEmail,
  style: () => accentStyle(church().accent),
  fill: { '/index.html': page, '/manifest.webmanifest': manifest },
})

function page(built: string): string {
  const site = church()
  const head = [
    textElement('title', site.name),
    element('meta', { name: 'description', content: siteWords().description }),
    `<style>${accentStyle(site.accent)}</style>`,
    dataBlock('application/json', site, siteDataId),
  ]
  // Functions, because '$' in a replacement string is special.
  return withIcons(built)
    .replace(/\s*<meta\s+name="description"[^>]*>/, '')
    .replace(/<html lang="[^"]*"/, () => `<html lang="${escapeMarkup(site.language)}"`)
    .replace(/<title>[^<]*<\/title>/, () => head.join('\n    '))
    .replace('<!--church-->', () => escapeMarkup(withoutScripts()))
}

/** Another look has other addresses: installed apps and browsers renew an icon by its address alone. */
const withIcons = (built: string): string =>
  built.replaceAll(/"(\/icons\/[\w-]+\.png)"/g, `"$1?v=${lookVersion()}"`)

/** For browsers that run no scripts. */
function withoutScripts(): string {
  const { name, address, services } = church()
  const place = [name, addressLine(address)].filter((part) => part !== '').join(', ')
  const times = services.map(({ weekday, words }) => `${weekday} service ${words.replace(/^E/, 'e')}.`)
  return [`${place}.`, ...times].join(' ')
}

function manifest(built: string): string {
  const { name, shortName, language, accent, logo } = church()
  const fields = JSON.parse(withIcons(built)) as { icons: { purpose: string }[] }
  // One of a logo is unknown, and ours would be another church's.
  const icons = logo ? fields.icons.filter(({ purpose }) => purpose !== 'monochrome') : fields.icons
  return JSON.stringify({
    ...fields,
    icons,
    name,
    short_name: shortName,
    lang: language,
    theme_color: accentTokens(accent).accent[0],
  })
}
