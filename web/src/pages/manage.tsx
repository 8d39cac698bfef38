import { usePageTitle } from '../lib/page-title.ts'

/** /manage: open to administrators alone. */
export function Manage() {
  usePageTitle('User Management')
  return (
    <div className="page pt-6 pb-20 lg:pt-12">
      <h1 className="text-title">User Management</h1>
      <p className="measure mt-5 text-soft">
        You are signed in as an administrator. This page has no tools in this version; accounts are kept on
        the server.
      </p>
    </div>
  )
}
