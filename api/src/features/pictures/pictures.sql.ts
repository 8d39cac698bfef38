import type { Sql } from '../../db/connection.ts'

/** What a picture is for, which decides the files that it has. */
export type PictureKind = 'photo' | 'series' | 'page' | 'site' | 'share' | 'logo'

/** A picture that a row refers to. */
export interface UsedPicture {
  readonly imageUrl: string
  readonly kinds: readonly PictureKind[]
}

/** Every picture of an elder, a series, a page or the site, also of one in the bin, which may be restored; by address. */
export const usedPictures = (sql: Sql): Promise<UsedPicture[]> => sql<UsedPicture[]>`
  select image_url, array_agg(distinct kind order by kind) as kinds from (
    select image_url, 'photo' as kind from elders
    union all
    select image_url, 'series' from series
    union all
    select image_url, 'page' from pages
    union all
    select identity ->> field, case when field in ('logo', 'share') then field else 'site' end
    from visit_details, unnest(array['logo', 'building', 'hero', 'share']) as field) as found
  where image_url is not null group by image_url order by image_url`
