/** SPEC §3 column lengths; the bios are text without one. */
export const elderLimits = { name: 255, role: 100, imageUrl: 500 } as const

/** SPEC §3: what the admin form starts with. */
export const newElderDefaults = { role: 'Elder', displayOrder: 0 } as const

/** SPEC §5, §9: photo of an elder, under 5MB; JPEG, JPG, PNG, WebP. */
export const elderPhoto = {
  maxBytes: 5 * 1024 * 1024,
  types: ['image/jpeg', 'image/png', 'image/webp'],
  extensions: ['jpeg', 'jpg', 'png', 'webp'],
} as const

/** SPEC §2, §9: cards side by side in the grid of the home page. */
export const elderColumns = 3
