/** A map service that finds an address and the way to it. */
interface Directions {
  readonly name: string
  readonly hint: string
  readonly url: string
}

/** The options of the dialog 'Navigate to': OpenStreetMap, Apple Maps and Google Maps, each searching for the address. */
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
