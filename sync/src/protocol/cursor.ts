/** Where a device stands: everything up to `rev` of this `epoch`. Devices treat the text as opaque. */
export interface Cursor {
  epoch: string
  rev: number
}

const version = 1

/** A cursor as text of letters, digits, dots and hyphens: '1.<rev>.<epoch>'. */
export const encodeCursor = ({ epoch, rev }: Cursor): string => `${version}.${rev}.${epoch}`

/** Reads a cursor; anything that is none, or of another version, is undefined and asks for a snapshot. */
export function decodeCursor(text: string | undefined): Cursor | undefined {
  const match = /^1\.(\d{1,15})\.([0-9a-f-]{36})$/.exec(text ?? '')
  return match ? { rev: Number(match[1]), epoch: match[2]! } : undefined
}
