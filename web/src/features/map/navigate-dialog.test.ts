import { expect, test } from 'vitest'
import { church } from '@fellowship/schema/church'
import { directionsTo } from './navigate-dialog.tsx'

test('each service searches for the address on its own site', () => {
  const found = directionsTo(church.address.line).map(({ name, url }) => {
    const { protocol, hostname, searchParams } = new URL(url)
    return [name, protocol, hostname, searchParams.get('query') ?? searchParams.get('q')]
  })
  expect(found).toEqual([
    ['OpenStreetMap', 'https:', 'www.openstreetmap.org', church.address.line],
    ['Apple Maps', 'https:', 'maps.apple.com', church.address.line],
    ['Google Maps', 'https:', 'www.google.com', church.address.line],
  ])
})

test('encodes an address without adding URL parameters', () => {
  for (const { url } of directionsTo('1 A&B Road #2 ?x=1')) {
    const { searchParams, hash } = new URL(url)
    expect([searchParams.get('query') ?? searchParams.get('q'), hash]).toEqual(['1 A&B Road #2 ?x=1', ''])
  }
})
