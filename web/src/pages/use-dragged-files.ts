import { useEffect } from 'react'

/** Calls back when files are dragged over the page, so that a drop area can open; null if the user may not upload. */
export function useDraggedFiles(onFiles: (() => void) | null): void {
  useEffect(() => {
    if (!onFiles) return undefined
    const onDrag = ({ dataTransfer }: DragEvent) => {
      if (dataTransfer?.types.includes('Files')) onFiles()
    }
    addEventListener('dragenter', onDrag)
    return () => removeEventListener('dragenter', onDrag)
  }, [onFiles])
}
