import { usePageTitle } from '../lib/page-title.ts'

export function TeachingPage() {
  usePageTitle('Teaching')
  return (
    <div className="page">
      <h1 className="text-title">Teaching</h1>
    </div>
  )
}
