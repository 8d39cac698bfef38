import { expect, test } from 'vitest'
import { addressLine, church } from '@fellowship/schema/church'
import { directionsTo } from './navigate-dialog.tsx'

test('each service searches for the address on its own site', () => {
  const found = directionsTo(addressLine(church().address)).map(({ name, url }) => {
    const { protocol, hostname, searchParams } = new URL(url)
    return [name, protocol, hostname, searchParams.get('query') ?? searchParams.get('q')]
  })
  expect(found).toEqual([
    ['OpenStreetMap', 'https:', 'www.openstreetmap.org', addressLine(church().address)],
    ['Apple Maps', 'https:', 'maps.apple.com', addressLine(church().address)],
    ['Google Maps', 'https:', 'www.google.com', addressLine(church().address)],
  ])
})

test('encodes an address without adding URL parameters', () => {
  for (const { url } of directionsTo('1 A&B Road #2 ?x=1')) {
    const { searchParams, hash } = new URL(url)
    expect([searchParams.get('query') ?? searchParams.get('q'), hash]).toEqual(['1 A&B Road #2 ?x=1', ''])
  }
})
