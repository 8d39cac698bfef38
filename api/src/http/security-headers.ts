import type { Config } from '../config/config.ts'

/**
 * Headers of every answer. The content policy allows scripts and styles of this site only. The map's tile server
 * requires a Referer (its usage policy), hence the referrer policy.
 */
export function securityHeaders(config: Pick<Config, 'publicUrl' | 'tileUrl'>): Record<string, string> {
  const tiles = new URL(config.tileUrl.replaceAll(/[{}]/g, '')).origin
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${tiles}`,
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
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
