/** Why a restore is not begun, in a sentence that says what to do. Nothing was written. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal'
}
