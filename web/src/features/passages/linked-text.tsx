import type { Passage } from '@fellowship/schema/passages/passages.schema'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import { useMemo } from 'react'
import { PassagePopover } from './passage-popover.tsx'

interface LinkedTextProps {
  text: string
  passages: ReadonlyMap<string, Passage>
}

/** The text with a popover at each known reference. */
export function LinkedText({ text, passages }: LinkedTextProps) {
  const pieces = useMemo(
    () => splitAtReferences(text, (reference) => passages.get(reference)),
    [text, passages],
  )
  return pieces.map((piece, at) =>
    piece.found ? (
      <PassagePopover key={at} passage={piece.found}>
        {piece.text}
      </PassagePopover>
    ) : (
      piece.text
    ),
  )
}
