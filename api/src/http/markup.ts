/** Text as it may stand in XML and HTML, between tags and in attributes; what XML 1.0 forbids is left out. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>"']/g, (sign) => entities[sign]!)
}

const forbidden = new RegExp(
  [
    // Control characters but tab and line ends, and what is no character.
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]',
    // Halves of a character.
    '[\\ud800-\\udbff](?![\\udc00-\\udfff])',
    '(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  ].join('|'),
  'g',
)

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** One element with its attributes; without content it closes itself. */
export function element(name: string, attributes: Record<string, string | number>, content?: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeMarkup(String(value))}"`)
  const open = `<${name}${written.join('')}`
  return content === undefined ? `${open}/>` : `${open}>${content}</${name}>`
}

/** An element that holds text. */
export const textElement = (name: string, text: string): string => element(name, {}, escapeMarkup(text))

/** A block of data, no script: browsers do not run it. Nothing inside may look like the end of it. */
export const dataBlock = (type: string, data: unknown, id?: string): string =>
  element('script', { type, ...(id && { id }) }, JSON.stringify(data).replaceAll('<', '\\u003c'))
