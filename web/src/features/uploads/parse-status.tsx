import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { Banner } from '../../ui/banner.tsx'

/** The result of parsing the file name. */
export function ParseStatus({ isValid, errors }: { isValid: boolean; errors: readonly string[] }) {
  if (isValid) {
    return (
      <Banner
        tone="leaf"
        title={uploadTexts.parsed}
        icon={<CircleCheck aria-hidden="true" className="size-5" />}
      />
    )
  }
  return (
    <Banner
      tone="wheat"
      title={uploadTexts.parsingIssues}
      icon={<TriangleAlert aria-hidden="true" className="size-5" />}
    >
      <ul className="mt-1 space-y-2 text-small">
        {errors.map((error) => (
          <li key={error} className="break-words">
            {error}
          </li>
        ))}
      </ul>
    </Banner>
  )
}
