/** A request to the process that reads pictures. */
export type PictureJob =
  | { readonly task: 'webp'; readonly file: string; readonly widths: readonly number[] }
  | { readonly task: 'cover'; readonly file: string; readonly width: number; readonly height: number }
  | { readonly task: 'logo'; readonly file: string; readonly kind: 'png' | 'svg' }
  | {
      readonly task: 'drawing'
      readonly svg: string
      readonly width: number
      readonly height: number
      readonly opaque: boolean
    }
  | { readonly task: 'clean'; readonly file: string }
  | { readonly task: 'facts'; readonly bytes: Uint8Array }

export interface PictureFacts {
  readonly kind: string
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** 'srgb', 'cmyk', … */
  readonly colours: string
}

export type PictureAnswer =
  | { readonly sizes: readonly Uint8Array[] }
  | { readonly cover: Uint8Array }
  | { readonly png: Uint8Array }
  | { readonly clean: Uint8Array | null }
  | { readonly facts: PictureFacts }
  | { readonly refused: 'damaged' | 'too many pixels'; readonly message: string }
