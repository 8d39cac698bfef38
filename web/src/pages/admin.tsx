import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../lib/page-title.ts'
import { buttonClass } from '../ui/button.tsx'

/** /admin: open to administrators alone. */
export function Admin() {
  usePageTitle('Administration')
  return (
    <div className="page pt-6 pb-20 lg:pt-12">
      <h1 className="text-title">Administration</h1>
      <p className="measure mt-5 text-soft">
        You are signed in as an administrator. This page has no tools of its own in this version; teachings
        are uploaded, edited and deleted on the Teaching page.
      </p>
      <Link to="/teaching" className={buttonClass('primary', 'mt-8')}>
        Go to Teaching
      </Link>
    </div>
  )
}
