import { expect, test } from 'vitest'
import { parseXml, XmlBroken } from './xml.ts'

test.each(['<a><b></a>', '<a', 'nothing', '<a b=1/>', ''])('refuses %j as invalid XML', (text) => {
  expect(() => parseXml(text)).toThrow(XmlBroken)
})

test('parses attributes, ordered children, thousands of entities', () => {
  const { a } = parseXml(
    `<?xml version="1.0"?><a><x:b n="01" t="&quot;">007 &lt;&#39;</x:b><x:b/><c>${'&amp;'.repeat(20_000)}</c></a>`,
  )
  const [first, second] = a![0]!.children['x:b']!
  expect(first).toEqual({ attributes: { n: '01', t: '"' }, children: {}, text: `007 <'` })
  expect(second).toEqual({ attributes: {}, children: {}, text: '' })
  expect(a![0]!.children['c']![0]!.text).toBe('&'.repeat(20_000))
})
