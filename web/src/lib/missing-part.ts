/**
 * Whether a chunk of the build failed to load. The words are those of Chromium, Firefox and Safari (its second ones for a
 * page sent in place of a script), and of Vite for a stylesheet.
 */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script failed|not a valid javascript mime type|unable to preload css/i.test(
    error.message,
  )
