import { type Paragraph, paragraphsOf } from '@fellowship/schema/transcripts/paragraphs'
import { readText, type TeachingText } from './kept-texts.ts'

/** The text of a teaching as paragraphs. @throws if it cannot be read */
export const readParagraphs = async (teaching: TeachingText): Promise<Paragraph[]> =>
  paragraphsOf(await readText(teaching))
