import { splitAtReferences } from '@fellowship/schema/passages/reference'
import { useMemo } from 'react'
import { firstPassages } from '../../boot/first-data.ts'
import { usePassages } from './use-passages.ts'

/**
 * The passages of a reference in full, each with its publisher's line; those that the table lacks are skipped. They come
 * from the prerendered page first, then from the device.
 */
export function PassageTexts({ reference }: { reference: string }) {
  const passages = usePassages()
  const found = useMemo(() => {
    const find = (wanted: string) =>
      passages ? passages.get(wanted) : firstPassages()?.find((each) => each.reference === wanted)
    const all = splitAtReferences(reference, find).flatMap((piece) => piece.found ?? [])
    return [...new Set(all)]
  }, [reference, passages])
  return found.map((passage) => (
    <figure key={passage.reference} className="measure mt-8 border-l-2 border-wheat pl-6">
      <blockquote className="whitespace-pre-line text-soft italic">
        <p>“{passage.text}”</p>
      </blockquote>
      <figcaption className="mt-1.5 text-small text-wheat-text">
        <span className="font-medium">{passage.reference}</span>
        <span className="block text-soft">{passage.copyrightLine}</span>
      </figcaption>
    </figure>
  ))
}
