import type { Sql } from '../../db/connection.ts'

/** A picture that a row refers to. */
export interface UsedPicture {
  readonly imageUrl: string
  /** Whether it is a series', which has a cover too. */
  readonly hasCover: boolean
}

/** Every picture that an elder or a series has, also a series in the bin, which may be restored; by address. */
export const usedPictures = (sql: Sql): Promise<UsedPicture[]> => sql<UsedPicture[]>`
  select image_url, bool_or(has_cover) as has_cover from (
    select image_url, false as has_cover from elders
    union all
    select image_url, true as has_cover from series) as found
  where image_url is not null group by image_url order by image_url`
