import type { SoundFault } from '@fellowship/schema/copies/copies.contract'

export type SoundAnswer =
  | { kind: 'share'; share: number }
  | { kind: 'heard'; faults: readonly SoundFault[] }
  /** It is no recording that is read here, or this browser compiles no WebAssembly. */
  | { kind: 'unknown' }
