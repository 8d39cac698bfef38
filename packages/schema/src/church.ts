/** The site profile: everything that makes the product this fellowship's. Another fellowship changes this file alone. */
export const church = {
  name: 'Bulls Christian Fellowship',
  shortName: 'Fellowship',
  denomination: 'a Christian fellowship',
  address: {
    street: '28 Criterion Street',
    locality: 'Bulls',
    postalCode: '4818',
    country: 'New Zealand',
    countryCode: 'NZ',
    /** One line, as shown and as the map searches for it. */
    line: '28 Criterion Street, Bulls 4818, New Zealand',
  },
  map: { latitude: -40.17, longitude: 175.39, zoom: 16, maxZoom: 19 },
  service: { weekday: 'Sunday', time: '10:00 AM', sentence: 'Every Sunday at 10:00 AM' },
  timeZone: 'Pacific/Auckland',
  language: 'en-NZ',
  /** Shown if no CONTACT_EMAIL is configured. */
  contactPlaceholder: 'elders@fellowship.example',
  versionLabel: '7.4.29',
} as const

/** Name of the meta tag that carries the configured CONTACT_EMAIL. */
export const contactEmailMeta = 'contact-email'
