/** The path without percent-encoding; empty, which is no path, where the encoding is broken. */
export function decodedPath(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return ''
  }
}
