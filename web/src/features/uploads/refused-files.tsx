import { TriangleAlert, X } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { sizeOf } from './draft-size.ts'
import { wordsOfRefusal, type RefusedFile } from './upload-file-checks.ts'

interface RefusedFilesProps {
  refused: readonly RefusedFile[]
  onRemove: (id: number) => void
}

/** The chosen files that cannot be uploaded, with the reasons. Not announced, because a toast announces them once. */
export function RefusedFiles({ refused, onRemove }: RefusedFilesProps) {
  if (refused.length === 0) return null
  return (
    <ul aria-label="Files that cannot be uploaded" className="flex flex-col gap-3">
      {refused.map(({ id, name, size, why }) => (
        <li key={id} className="flex items-start gap-2 rounded-card border border-line p-3">
          <TriangleAlert aria-hidden="true" className="mt-0.5 mr-1 size-5 shrink-0 text-brick" />
          <div className="min-w-0 grow">
            <p className="font-medium wrap-anywhere">{name}</p>
            {size > 0 && <p className="text-small text-soft">{sizeOf(size)}</p>}
            <p className="text-small font-medium text-brick">{wordsOfRefusal[why]}</p>
          </div>
          <IconButton label={`Remove ${name}`} className="-mt-2 -mr-2" onClick={() => onRemove(id)}>
            <X aria-hidden="true" className="size-5" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
