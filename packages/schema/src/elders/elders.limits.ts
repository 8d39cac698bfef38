/** Column lengths. The bios are unlimited columns, bounded so that a card stays readable. */
export const elderLimits = {
  name: 255,
  role: 100,
  imageUrl: 500,
  bio: 20_000,
  displayOrder: 1_000_000,
} as const

/** The role that the admin form starts with. */
export const newElderDefaults = { role: 'Elder', displayOrder: 0 } as const

/** Photo of an elder: under 5MB; JPEG, PNG or WebP. Stored as WebP in these widths, in pixels. */
export const elderPhoto = {
  maxBytes: 5 * 1024 * 1024,
  types: ['image/jpeg', 'image/png', 'image/webp'],
  extensions: ['jpeg', 'jpg', 'png', 'webp'],
  widths: [320, 640, 960],
  shownWidth: 640,
  /** Further width of a picture that spans a page. */
  wideWidth: 1920,
  /** Side of the square JPEG that podcast directories take, in pixels. */
  coverSide: 1400,
} as const

/** Columns of the elder grid on the home page. */
export const elderColumns = 3
