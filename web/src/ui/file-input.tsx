import type { ComponentProps } from 'react'

/** The browser's own file chooser, its button styled as ours. */
export function FileInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <input
      type="file"
      className="w-full text-small text-soft file:mr-4 file:min-h-11 file:cursor-pointer file:rounded-card file:border file:border-solid file:border-line-strong file:bg-raised file:px-4 file:font-medium file:text-ink"
      {...props}
    />
  )
}
