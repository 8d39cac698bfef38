import { UserList } from '../features/users/user-list.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'
import { OnlineOnly } from '../ui/online-only.tsx'

/** /manage, 'User Management': for administrators only. */
export function Manage() {
  usePageTitle('User Management')
  return (
    <div className="administration page pt-6 pb-20 lg:pt-12">
      <h1 className="mb-8 text-title">User Management</h1>
      <OnlineOnly>
        <UserList />
      </OnlineOnly>
    </div>
  )
}
