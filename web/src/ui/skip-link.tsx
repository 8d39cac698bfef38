/** The first stop of the Tab key: skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only rounded-card bg-pine px-5 py-3 font-medium text-on-pine forced-colors:border focus:not-sr-only focus:absolute focus:top-3 focus:left-3 focus:z-50 focus:px-5 focus:py-3"
    >
      Skip to the content
    </a>
  )
}
