/** SPEC §3 column lengths; the bios are text, bounded so that no card becomes a book. */
export const elderLimits = {
  name: 255,
  role: 100,
  imageUrl: 500,
  bio: 20_000,
  displayOrder: 1_000_000,
} as const

/** SPEC §3: what the admin form starts with. */
export const newElderDefaults = { role: 'Elder', displayOrder: 0 } as const

/** SPEC §5, §9: photo of an elder, under 5MB; JPEG, JPG, PNG, WebP. Kept as WebP in these widths, in pixels. */
export const elderPhoto = {
  maxBytes: 5 * 1024 * 1024,
  types: ['image/jpeg', 'image/png', 'image/webp'],
  extensions: ['jpeg', 'jpg', 'png', 'webp'],
  widths: [320, 640, 960],
  shownWidth: 640,
} as const

/** SPEC §2, §9: cards side by side in the grid of the home page. */
export const elderColumns = 3
