import { textBlocks, type TextBlock } from '@fellowship/schema/written-pages/page-text'
import { WidePicture } from '../../ui/wide-picture.view.tsx'
import { ScriptureText } from '../passages/scripture-text.tsx'

/** A written page: its title, its picture if there is one, then headings, quotes and paragraphs in the order of its text. */
interface PageWordsProps {
  title: string
  text: string
  imageUrl: string | null | undefined
}

export function PageWords({ title, text, imageUrl }: PageWordsProps) {
  return (
    <>
      <h1 className="text-title wrap-anywhere">{title}</h1>
      {imageUrl && (
        <WidePicture
          imageUrl={imageUrl}
          alt=""
          sizes="(min-width: 48rem) 42rem, 100vw"
          className="measure mt-8 aspect-3/2 w-full rounded-card"
        />
      )}
      <div className="measure mt-8 space-y-5">
        {textBlocks(text).map((block, at) => (
          <Block key={at} {...block} />
        ))}
      </div>
    </>
  )
}

function Block({ kind, text }: TextBlock) {
  if (kind === 'heading') return <h2 className="text-section pt-6 wrap-anywhere">{text}</h2>
  const words = <ScriptureText text={text} />
  if (kind === 'paragraph') return <p className="whitespace-pre-line wrap-anywhere">{words}</p>
  return (
    <blockquote className="border-l-2 border-wheat pl-6 font-serif text-xl leading-snug whitespace-pre-line wrap-anywhere">
      {words}
    </blockquote>
  )
}
