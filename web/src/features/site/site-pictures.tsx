import type { Site, SitePicture } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { PictureField } from '../../ui/picture-field.tsx'
import { useChangePicture } from './site-queries.admin.ts'
import { siteLabels } from './site-words.ts'

/** The logo and the pictures of the church; each is saved as it is chosen. */
export function SitePictures({ site }: { site: Site }) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {rows.map((row) => (
        <li key={row.field} className="py-5 first:pt-0 last:pb-0">
          <PictureRow {...row} imageUrl={site[row.field]} />
        </li>
      ))}
    </ul>
  )
}

interface Row {
  field: SitePicture | 'logo'
  hint: string
}

const photoHint = 'JPEG, PNG or WebP, smaller than 5MB.'
const rows: readonly Row[] = [
  { field: 'logo', hint: 'SVG or PNG. Icons, feed and shared links are made from it.' },
  { field: 'hero', hint: `Across the top of Home, at least 1920 pixels wide. ${photoHint}` },
  { field: 'building', hint: `Beside the address. ${photoHint}` },
  { field: 'share', hint: `Shown with shared links, cut to 1200 by 630 pixels. ${photoHint}` },
]

const ofLogos = {
  types: ['image/svg+xml', 'image/png'],
  refusal: { title: siteTexts.logoType },
  whole: true,
}

function PictureRow({ field, hint, imageUrl }: Row & { imageUrl: string | null | undefined }) {
  const { mutate, isPending, error } = useChangePicture()
  return (
    <PictureField
      {...(field === 'logo' && ofLogos)}
      label={siteLabels[field]}
      hint={hint}
      imageUrl={imageUrl}
      none="Ours"
      pending={isPending}
      error={error}
      onChange={(file) => mutate({ field, file })}
    />
  )
}
