// Runs before the framework is read: what the asked page needs is on its way meanwhile. Imports nothing at once.
if (/^\/teaching\/?$/.test(location.pathname)) {
  // Where the first HTML already says what people came for, it is seen first.
  if (document.querySelector('[data-first]')) requestAnimationFrame(() => setTimeout(fetchLibrary))
  else fetchLibrary()
}

function fetchLibrary(): void {
  // A part that does not come is asked for again, and told of, by whoever needs it.
  const ignore = () => undefined
  import('./features/teachings/first-rows.ts').then((part) => part.askFirstRows(), ignore)
  import('./pages/teaching.tsx').catch(ignore)
}
