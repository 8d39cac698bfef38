import { z } from 'zod'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { plainLine } from '../plain-text.ts'
import { maxFileNameLength } from './uploads.limits.ts'

/** SPEC §3 'Parsed filename result'. Fields that could not be read are empty. */
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

/** Fields as a person corrected them; they win over what the file name says. */
export const enteredFields = z.object({
  title: plainLine('Title').max(teachingLimits.title).default(''),
  speaker: plainLine('Speaker').max(teachingLimits.speaker).default(''),
  scriptureReference: plainLine('Scripture reference').max(teachingLimits.scriptureReference).default(''),
  date: z.string().max(teachingLimits.date).default(''),
})
export type EnteredFields = z.infer<typeof enteredFields>

/** Some of the fields. Without defaults, which would make an absent field an emptied one. */
export const someFields = z
  .object({
    title: enteredFields.shape.title.unwrap(),
    speaker: enteredFields.shape.speaker.unwrap(),
    scriptureReference: enteredFields.shape.scriptureReference.unwrap(),
    date: enteredFields.shape.date.unwrap(),
  })
  .partial()
export type SomeFields = z.infer<typeof someFields>
