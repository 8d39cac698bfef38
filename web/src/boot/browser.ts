import { trustedTypesPolicy } from '@fellowship/schema/pages/trusted-types'

interface PolicyFactory {
  createPolicy(name: string, rules: Record<string, (text: string) => string | null>): unknown
}

/**
 * Markup that the libraries of this site make from constants: the signs on the map's buttons and the line that names the
 * source of its tiles. Everything else that a script would turn into elements is refused.
 */
const libraryMarkup =
  /^(?:[^<]|<\/?(?:span|a|b|br|strong|svg|path|g)(?:\s+(?:aria-hidden|class|href|title|target|rel|xmlns|width|height|viewBox|fill|d|stroke|stroke-width|focusable)="(?!\s*javascript:)[^"<>]*")*\s*\/?>)*$/i

export const isLibraryMarkup = (html: string): boolean => libraryMarkup.test(html)

/** Scripts of workers come from this site. */
export const isOwnScript = (address: string): boolean =>
  new URL(address, location.href).origin === location.origin

/** Limits the strings that scripts may turn into markup, if the browser has Trusted Types; runs before any other script. */
export function installTrustedTypes(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory }
  trustedTypes?.createPolicy(trustedTypesPolicy, {
    createHTML: (html) => (isLibraryMarkup(html) ? html : null),
    createScriptURL: (address) => (isOwnScript(address) ? address : null),
  })
}

/**
 * Firefox has channels between tabs by name if it refuses site data, and throws when one is made. Without the name, code that
 * uses channels skips them; the database library makes one while it loads, so this runs first.
 */
export function hideRefusedChannels(): void {
  try {
    new BroadcastChannel('probe').close()
  } catch {
    Reflect.deleteProperty(globalThis, 'BroadcastChannel')
  }
}
