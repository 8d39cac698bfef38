/** Messages about the site's identity. The description of a failure is the server's sentence. */
export const siteTexts = {
  updated: 'Site Updated',
  updateFailed: 'The site could not be saved',
  loadFailed: 'Failed to load the site',
  changed: 'Somebody else has changed the site since you opened it. Load it again, then repeat your change.',
  conflict: 'Somebody else has changed this too since you opened it. Choose for each field, then save.',
  coordinatesInvalid: 'Coordinates must be latitude and longitude in degrees, such as -40.17, 175.39.',
  logoSaved: 'Logo Saved',
  pictureSaved: 'Picture Saved',
  pictureRemoved: 'Picture Removed',
  logoType: 'Choose an SVG or PNG file.',
  logoTooLong: 'The drawing must be shorter than 1 MB. Export it as a smaller SVG, or as a PNG.',
  logoForeign:
    'The drawing must not hold scripts or refer to other files and fonts. Export it as plain SVG with outlines, or as a PNG.',
  pictureForeign: 'The picture must be one that was sent to this site.',
  pictureData: 'A picture must be a data address such as data:image/png;base64,… or null.',
  pictureOwnCall: 'Send a picture to its own address; only null is accepted here.',
  phoneInvalid: 'Phone must be a number of at most 30 characters, such as 06 322 1234.',
  timeInvalid: 'A time must be written as 24 hours and minutes, such as 10:00 or 18:30.',
  zoneInvalid: 'The time zone must be one of the IANA list, such as Pacific/Auckland or Europe/Dublin.',
  languageInvalid: 'The language must be a BCP 47 tag, such as en-NZ or de.',
  accentInvalid: 'The accent colour must be written as # and six hexadecimal digits, such as #224488.',
  countryCodeInvalid: 'The country code must be two capital letters, such as NZ.',
  versionInvalid: 'The version label may hold letters, digits, dots, dashes and spaces, such as 7.4.29.',
  windowEmpty: 'The SFTP window must end after it begins, on the same day.',
} as const

/** Labels of the texts for a first visit, in the order in which they are shown. */
export const visitLabels = {
  expect: 'What to expect',
  forChildren: 'Children',
  parking: 'Parking',
  phone: 'Phone',
} as const
export type VisitName = keyof typeof visitLabels
