import { useEffect } from 'react'
import { useComfort } from '../lib/comfort.ts'

/** Colours the browser's own bars as chosen on this device; each tag names the scheme that it is for. */
export function useBrowserColour(): void {
  const { scheme } = useComfort()
  useEffect(() => {
    for (const tag of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
      const own = tag.media.includes('dark') ? 'dark' : 'light'
      tag.content = colours[scheme ?? own]
    }
  }, [scheme])
}

const colours = { light: '#fbf8f2', dark: '#14201c' }
