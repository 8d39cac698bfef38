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

/** Shows the names of files that were chosen elsewhere; none if they were removed. */
export function showFiles(input: HTMLInputElement | null, chosen: readonly File[]): void {
  if (!input || typeof DataTransfer === 'undefined') return
  const shown = [...(input.files ?? [])]
  if (shown.length === chosen.length && shown.every((file, at) => file === chosen[at])) return
  const files = new DataTransfer()
  for (const file of chosen) files.items.add(file)
  input.files = files.files
}
