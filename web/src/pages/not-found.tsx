import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../lib/page-title.ts'
import { buttonClass } from '../ui/button.tsx'
import { Landscape } from '../ui/landscape.tsx'

/** Any path that is not a page. */
export function NotFound() {
  usePageTitle('404 Page Not Found')
  return (
    <div className="flex grow flex-col">
      <div className="page pt-10 pb-16 lg:pt-20">
        <h1 className="text-title">404 Page Not Found</h1>
        <p className="measure text-lead mt-5 text-soft">
          We can’t find that page. Perhaps the address was mistyped, or the page has moved.
        </p>
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
        <Landscape className="h-[clamp(11rem,30vw,42rem)]" />
      </div>
    </div>
  )
}
