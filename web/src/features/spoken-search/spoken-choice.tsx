import { spokenTexts } from '@fellowship/schema/spoken-search/spoken-search.texts'
import { useEffect, useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { askIndex } from './device-index.ts'

/** The hint of the setting: what it does, and what it costs as soon as that is known. */
export function SpokenHint() {
  const [bytes, setBytes] = useState<number>()
  useEffect(() => {
    let isOver = false
    const show = (known: number | undefined) => {
      if (!isOver) setBytes(known)
    }
    costOf().then(show, () => undefined)
    return () => void (isOver = true)
  }, [])
  return spokenTexts.hint(bytes ? fileSize(bytes) : undefined)
}

/** As this device knows it, else as the server says. */
async function costOf(): Promise<number | undefined> {
  const { bytes } = await askIndex('state', undefined).catch(() => ({ bytes: undefined }))
  return bytes ?? (await import('./search-said.ts')).costOfIndex()
}
