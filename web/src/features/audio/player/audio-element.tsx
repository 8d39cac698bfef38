import { createContext, use, useState, type ReactNode } from 'react'

const AudioElementContext = createContext<HTMLAudioElement | null>(null)

/** Holds the one `<audio>` of the site, above the pages, so that it plays on when the page changes. */
export function AudioElementProvider({ children }: { children: ReactNode }) {
  const [element, setElement] = useState(drawnElement)
  return (
    <AudioElementContext value={element}>
      {/* A spoken word has no captions; where a transcript exists it stands on the page. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio ref={setElement} preload="none" />
      {children}
    </AudioElementContext>
  )
}

/** In a page that the server drew it is there already: nothing waits for it, and nothing is drawn anew. */
const drawnElement = () =>
  typeof document === 'undefined' ? null : document.querySelector<HTMLAudioElement>('[data-first] > audio')

/** The element; null for the moment before it is in the page. */
export const useAudioElement = (): HTMLAudioElement | null => use(AudioElementContext)
