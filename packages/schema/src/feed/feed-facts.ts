/*
 * The podcast feed as a podcast app receives it: its contents, and how its URLs responded.
 */

/** Contents of the channel element; empty strings for absent ones. */
export interface ShowFacts {
  readonly title: string
  readonly description: string
  readonly language: string
  readonly category: string
  readonly explicit: string
  readonly link: string
  readonly author: string
  readonly ownerEmail: string
  /** The URL that the feed names as its own. */
  readonly self: string
  /** Its GUID in the podcast namespace. */
  readonly guid: string
}

export interface ArtworkFacts {
  readonly address: string
  /** HTTP status; 0 without a response, or for a URL of another site. */
  readonly status: number
  /** Format by content; undefined when it is no image. */
  readonly picture: { kind: string; width: number; height: number; colours: string } | undefined
}

/** Contents of an item; empty strings for absent ones. */
export interface EpisodeFacts {
  readonly title: string
  readonly guid: string
  readonly pubDate: string
  readonly duration: string
  readonly url: string
  readonly length: string
  readonly type: string
  /** HEAD of its recording. The status is 0 without a response, or for a URL of another site. */
  readonly answer: { readonly status: number; readonly length: string }
  /** The status of a Range request for its first two bytes; undefined when not requested. */
  readonly rangeStatus: number | undefined
}
