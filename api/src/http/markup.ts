/** Escapes text for XML and HTML, in content and attributes; characters that XML 1.0 forbids are removed. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>"']/g, (sign) => entities[sign]!)
}

const forbidden = new RegExp(
  [
    // Control characters except tab and line ends, and noncharacters.
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]',
    // Lone surrogates.
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

/** One element with its attributes; self-closing without content. */
export function element(name: string, attributes: Record<string, string | number>, content?: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeMarkup(String(value))}"`)
  const open = `<${name}${written.join('')}`
  return content === undefined ? `${open}/>` : `${open}>${content}</${name}>`
}

/** An element that holds text. */
export const textElement = (name: string, text: string): string => element(name, {}, escapeMarkup(text))

/** A script element that holds data and is not run; `<` is escaped, so the data cannot close it. */
export const dataBlock = (type: string, data: unknown, id?: string): string =>
  element('script', { type, ...(id && { id }) }, JSON.stringify(data).replaceAll('<', '\\u003c'))
