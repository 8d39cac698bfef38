import { createContext, use, useState, type ReactNode } from 'react'

const AudioElementContext = createContext<HTMLAudioElement | null>(null)

/** Holds the one `<audio>` of the site, above the pages, so that it plays on when the page changes. */
export function AudioElementProvider({ children }: { children: ReactNode }) {
  const [element, setElement] = useState(prerenderedElement)
  return (
    <AudioElementContext value={element}>
      {/* A teaching has no captions; if there is a transcript, the page shows it. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio ref={setElement} preload="none" />
      {children}
    </AudioElementContext>
  )
}

/** The element of a prerendered page, which avoids a second render. */
const prerenderedElement = () =>
  typeof document === 'undefined' ? null : document.querySelector<HTMLAudioElement>('[data-first] > audio')

/** The element; null until it is in the page. */
export const useAudioElement = (): HTMLAudioElement | null => use(AudioElementContext)
