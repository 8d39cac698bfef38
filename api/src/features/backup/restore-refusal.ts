/** A restore that was refused before anything was written; the message says why and what to do. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal'
}
