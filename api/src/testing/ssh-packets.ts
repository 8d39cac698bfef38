/** A client's SSH_MSG_KEXINIT (RFC 4253, 7.1) with these ciphers to and from the server. */
export function keyExchangeInit(to: readonly string[], from: readonly string[]): Buffer {
  const kex = ['curve25519-sha256']
  const mac = ['hmac-sha2-256']
  const lists = [kex, ['ssh-ed25519'], to, from, mac, mac, ['none'], ['none'], [], []].map((names) => {
    const text = Buffer.from(names.join(','))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return Buffer.concat([length, text])
  })
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...lists, Buffer.alloc(5)])
  const padding = 16 - ((payload.length + 5) % 8)
  const head = Buffer.alloc(5, padding)
  head.writeUInt32BE(payload.length + padding + 1)
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}
