import { useId, type ReactNode } from 'react'
import './section.css'

interface SectionProps {
  title: string
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, description, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="section not-first:mt-12">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 id={id} className="text-2xl">
            {title}
          </h2>
          {description && <p className="measure mt-1 text-soft">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-3">{actions}</div>}
      </div>
      {children}
    </section>
  )
}
