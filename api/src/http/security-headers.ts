import { createHash } from 'node:crypto'
import { trustedTypesPolicy } from '@fellowship/schema/pages/trusted-types'
import type { Config } from '../config/config.ts'

/**
 * Headers of every answer. The content policy allows scripts and styles of this site only, and markup made by scripts only
 * through the page's one policy (Trusted Types). The map's tile server
 * requires a Referer (its usage policy), hence the referrer policy.
 */
export function securityHeaders(
  config: Pick<Config, 'publicUrl' | 'tileUrl'> & Partial<Pick<Config, 's3'>>,
): Record<string, string> {
  const tiles = new URL(config.tileUrl.replaceAll(/[{}]/g, '')).origin
  // Recordings are led to this address, for the player and for saving them.
  const recordings = config.s3?.publicUrl === undefined ? '' : ` ${new URL(config.s3.publicUrl).origin}`
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'none'",
    `img-src 'self' data: blob: ${tiles}`,
    `media-src 'self' blob:${recordings}`,
    "font-src 'self'",
    `connect-src 'self'${recordings}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypesPolicy}`,
  ]
  const secure = config.publicUrl?.startsWith('https:') ?? false
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** The same for files that players, podcast apps and other sites may load. */
export const openHeaders = (config: Parameters<typeof securityHeaders>[0]): Record<string, string> => ({
  ...securityHeaders(config),
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
})

/** The headers of a script that may compile WebAssembly, which is no other evaluation of text. */
export const withWebAssembly = (headers: Record<string, string>): Record<string, string> =>
  changed(headers, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")

/** The headers of a page that has this style sheet in its head. */
export function withInlineStyle(headers: Record<string, string>, style: string): Record<string, string> {
  const hash = createHash('sha256').update(style).digest('base64')
  return changed(headers, "style-src 'self'", `style-src 'self' 'sha256-${hash}'`)
}

function changed(headers: Record<string, string>, from: string, to: string): Record<string, string> {
  const policy = headers['content-security-policy']
  return policy === undefined ? headers : { ...headers, 'content-security-policy': policy.replace(from, to) }
}
