declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  /** Opens a message that was encrypted by RFC 8188. */
  export function decrypt(
    body: Buffer,
    params: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer
}
