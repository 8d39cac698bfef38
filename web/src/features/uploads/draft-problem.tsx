import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Banner } from '../../ui/banner.tsx'
import type { DraftProblem as Problem } from './draft.ts'

/** The reason why a recording was not sent, in place of the parse result. It stays, while a toast announces it. */
export function DraftProblem({ problem }: { problem: Problem }) {
  const { title, message, duplicate } = problem
  return (
    // It takes the focus like an invalid field, because the pressed button is far below.
    <div data-refusal="" tabIndex={-1} className="scroll-my-4 rounded-card">
      <Banner
        tone="brick"
        title={title}
        icon={<TriangleAlert aria-hidden="true" className="size-5" />}
        toasted
      >
        <p className="text-small wrap-anywhere">{message}</p>
        {duplicate?.path !== undefined && (
          <Link
            to="/$"
            params={{ _splat: duplicate.path.slice(1) }}
            className="inline-flex min-h-11 items-center text-small font-medium text-pine underline underline-offset-4"
          >
            Show it in the library
          </Link>
        )}
      </Banner>
    </div>
  )
}
