/** The podcast feed as an app outside gets it: what it says, and what its addresses answered. */
export interface FeedFacts {
  readonly show: ShowFacts
  readonly artwork: ArtworkFacts
  /** In their order. */
  readonly episodes: readonly EpisodeFacts[]
}

/** What the channel says of itself; empty where it says nothing. */
export interface ShowFacts {
  readonly title: string
  readonly description: string
  readonly language: string
  readonly category: string
  readonly explicit: string
  readonly link: string
  readonly author: string
  readonly ownerEmail: string
  /** The address the feed gives as its own. */
  readonly self: string
  /** Its identity in the podcast namespace. */
  readonly guid: string
}

export interface ArtworkFacts {
  readonly address: string
  /** HTTP; 0 where nothing answered, or the address is none of this site. */
  readonly status: number
  /** What the bytes are; undefined where they are no picture. */
  readonly picture: { kind: string; width: number; height: number; colours: string } | undefined
}

/** What an item says; empty where it says nothing. */
export interface EpisodeFacts {
  readonly title: string
  readonly guid: string
  readonly pubDate: string
  readonly duration: string
  readonly url: string
  readonly length: string
  readonly type: string
  /** HEAD of its recording. The status is 0 where nothing answered, or the address is none of this site. */
  readonly answer: { readonly status: number; readonly length: string }
  /** The status of a request for its first two bytes; undefined where it was not asked for. */
  readonly rangeStatus: number | undefined
}
