import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** An element: its attributes, its children by their prefixed names in document order, and its own text. */
export interface XmlElement {
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Readonly<Record<string, readonly XmlElement[]>>
  readonly text: string
}

/** Invalid XML; the message has the position. */
export class XmlBroken extends Error {
  override readonly name = 'XmlBroken'
}

type Raw = Record<string, unknown>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributesGroupName: '@',
  attributeNamePrefix: '',
  textNodeName: '#',
  alwaysCreateTextNode: true,
  ignoreDeclaration: true,
  // Values stay text.
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
  // Large documents have thousands of '&amp;'; without a DOCTYPE entity expansion cannot grow.
  htmlEntities: true,
  processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
})

/**
 * Parses XML that this application generated; returns the root elements by name.
 *
 * @throws XmlBroken
 */
export function parseXml(text: string): XmlElement['children'] {
  const valid = XMLValidator.validate(text)
  if (valid !== true) throw new XmlBroken(`line ${valid.err.line}: ${valid.err.msg}`)
  return elementOf(parser.parse(text) as Raw).children
}

function elementOf(raw: Raw): XmlElement {
  const { '@': attributes, '#': text, ...children } = raw
  return {
    attributes: (firstOf(attributes) ?? {}) as Record<string, string>,
    text: typeof text === 'string' ? text : '',
    children: Object.fromEntries(
      Object.entries(children).map(([name, all]) => [name, (all as Raw[]).map(elementOf)]),
    ),
  }
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

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
