import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../lib/page-title.view.ts'
import { buttonClass } from '../ui/button.tsx'
import { Landscape } from '../ui/landscape.tsx'

interface NotFoundProps {
  title?: string
  sentence?: string
}

/** The page for any path that is not, or no longer, a page. */
export function NotFound({ title = '404 Page Not Found', sentence = mistyped }: NotFoundProps) {
  usePageTitle(title)
  return (
    <div className="flex grow flex-col">
      <div className="page pt-12 pb-20 lg:pt-20">
        <h1 className="text-title">{title}</h1>
        <p className="measure text-lead mt-5 text-soft">{sentence}</p>
        <div className="mt-8 flex flex-wrap gap-3">
          <Link to="/" className={buttonClass()}>
            Go to the home page
          </Link>
          <Link to="/teaching" className={buttonClass('secondary')}>
            Find a teaching
          </Link>
        </div>
      </div>
      <div className="mt-auto">
        <Landscape className="h-[clamp(10rem,25vw,36rem)]" />
      </div>
    </div>
  )
}

const mistyped = 'We can’t find that page. Perhaps the address was mistyped, or the page has moved.'
