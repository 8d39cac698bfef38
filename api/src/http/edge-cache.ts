/** How long a cache in front of the product may answer by itself: by as much what is published may show later there. */
const edgeSeconds = 60

/**
 * For an answer that is the same for everyone, without cookie: a cache in front (nginx, a CDN) answers for a minute, and
 * then asks by entity tag; a browser asks each time.
 */
export const sharedForAMinute = `public, max-age=0, s-maxage=${edgeSeconds}, must-revalidate`
