import { createContext, use, useState, type ReactNode } from 'react'

const AudioElementContext = createContext<HTMLAudioElement | null>(null)

/** Holds the one `<audio>` of the site, above the pages, so that it plays on when the page changes. */
export function AudioElementProvider({ children }: { children: ReactNode }) {
  const [element, setElement] = useState(prerenderedElement)
  return (
    <AudioElementContext value={element}>
      {/* A spoken word has no captions; where a transcript exists it stands on the page. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio ref={setElement} preload="none" />
      {children}
    </AudioElementContext>
  )
}

/** A prerendered page has the element already: using it avoids a second render. */
const prerenderedElement = () =>
  typeof document === 'undefined' ? null : document.querySelector<HTMLAudioElement>('[data-first] > audio')

/** The element; null for the moment before it is in the page. */
export const useAudioElement = (): HTMLAudioElement | null => use(AudioElementContext)
