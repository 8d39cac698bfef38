/** What the worker is asked: to look at a file, or to make an MP3 of it. */
export interface SmallerRequest {
  kind: 'measure' | 'make'
  file: File
}

export type SmallerAnswer =
  | { kind: 'measured'; bytes: number; seconds: number }
  | { kind: 'share'; share: number }
  | { kind: 'made'; blob: Blob }
  /** It is no WAV that can be read, or this browser compiles no WebAssembly, or has no signal to load the encoder. */
  | { kind: 'failed' }
