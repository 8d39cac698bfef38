import { classNames } from '../../lib/class-names.ts'
import { firstPassages } from '../../boot/first-data.ts'
import { ScriptureText } from './scripture-text.tsx'
import { usePassages } from './use-passages.ts'

interface PassageQuoteProps {
  reference: string
  /** The meaning of the passage in our own words. */
  thought: string
  /** About the length of the passage: room is reserved for it, so that nothing shifts when it loads. */
  letters: number
}

/**
 * A passage quoted in full, its publisher's line behind the reference: first from the prerendered page, then from the
 * device. If the table lacks it, only the thought and the reference are shown.
 */
export function PassageQuote({ reference, thought, letters }: PassageQuoteProps) {
  const passages = usePassages()
  const brought = firstPassages()
  const early = brought?.find((one) => one.reference === reference)
  const passage = passages ? passages.get(reference) : early
  const awaited = !passages && !brought
  return (
    <figure>
      <figcaption className="font-serif text-xl leading-snug">{thought}</figcaption>
      {awaited && (
        <p aria-hidden="true" className="mt-2 text-transparent italic select-none">
          {'letters '.repeat(letters / 8)}
        </p>
      )}
      {passage && (
        <blockquote className={classNames('mt-2 text-soft italic', !early && 'animate-rise')}>
          <p>“{passage.text}”</p>
        </blockquote>
      )}
      <p className="mt-1.5 text-small font-medium text-wheat-text">
        <ScriptureText text={reference} />
      </p>
    </figure>
  )
}
