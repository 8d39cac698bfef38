/** The newest teachings the feed carries: forty years of Sundays, and still a short download. */
export const feedItems = 2_000

/** Pictures of ours for podcast directories and shared links. A changed picture gets a new name: both keep the old one. */
export const artwork = {
  podcast: { path: '/artwork/podcast-1.png', side: 1500 },
  share: { path: '/artwork/share-1.png', width: 1200, height: 630 },
} as const

/** What directories ask of the picture (Apple's guide for podcasters): square, so many pixels a side. */
export const directoryArtwork = { least: 1400, most: 3000 } as const
/** The longest description they take, in bytes. */
export const directoryDescriptionBytes = 4000
