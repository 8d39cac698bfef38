/** Teachings in the feed, newest first: forty years of Sundays, and still a short download. */
export const feedItems = 2_000

/**
 * Feeds and sitemaps that are generated for a request, per address: those of an unknown host name, which a caller may have
 * made up, and those of speakers and books that are not cached.
 */
export const feedsMadeAnew = { attempts: 120, perMinutes: 1 } as const
/** Of these, how many are on their way at once, to one address and in all: each is held whole, five megabytes at most. */
export const feedsMadeAtOnce = { each: 4, all: 8 } as const

/** Images for podcast directories and shared links. A changed image needs a new name: both cache the old one. */
export const artwork = {
  podcast: { path: '/artwork/podcast-1.png', side: 1500 },
  share: { path: '/artwork/share-1.png', width: 1200, height: 630 },
} as const

/** Sides of the square image that directories require (Apple's guide for podcasters), in pixels. */
export const directoryArtwork = { least: 1400, most: 3000 } as const
/** The longest description that directories accept, in bytes. */
export const directoryDescriptionBytes = 4000
