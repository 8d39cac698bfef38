import { z } from 'zod'
import { eachWord } from '../teachings/teaching-words.ts'
import { optionalIfAdded, typedWord } from '../teachings/teachings.schema.ts'
import { maxFileNameLength } from './uploads.limits.ts'

/** The result of parsing a file name. Fields that could not be read are empty. */
export const parsedFilename = z.object({
  title: z.string(),
  speaker: z.string(),
  scriptureReference: z.string(),
  date: z.string(),
  isValid: z.boolean(),
  errors: z.array(z.string()),
})
export type ParsedFilename = z.infer<typeof parsedFilename>

export const fileName = z.string().min(1).max(maxFileNameLength)

/** Words as a person corrected them; they override the file name. */
export const enteredFields = z.object(optionalIfAdded((name) => typedWord[name].default('')))
export type EnteredFields = z.infer<typeof enteredFields>

/** Publishes a recording although the server refused it as `cut_off`. */
export const acceptCutOff = z.boolean().optional()

/** Publishes a recording although the server refused it as `sounds_wrong`, or without that check. */
export const acceptSound = z.boolean().optional()

/** Some of the words. Without defaults, which would make an absent one an emptied one. */
export const someFields = z.object(eachWord((name) => typedWord[name].optional()))
export type SomeFields = z.infer<typeof someFields>
