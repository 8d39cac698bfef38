/** A place on the web that finds an address and the way to it. */
export interface Directions {
  readonly name: string
  readonly hint: string
  readonly url: string
}

/** SPEC §2 'Navigate to': an open community map, a device vendor's app, a large web map; each searches for the address. */
export function directionsTo(address: string): readonly Directions[] {
  const query = encodeURIComponent(address)
  return [
    {
      name: 'OpenStreetMap',
      hint: 'Opens in the browser',
      url: `https://www.openstreetmap.org/search?query=${query}`,
    },
    { name: 'Apple Maps', hint: 'Opens the app on Apple devices', url: `https://maps.apple.com/?q=${query}` },
    {
      name: 'Google Maps',
      hint: 'Opens the app where it is installed',
      url: `https://www.google.com/maps/search/?api=1&query=${query}`,
    },
  ]
}
