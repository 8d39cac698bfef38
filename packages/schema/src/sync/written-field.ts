import { z } from 'zod'

/** A field of a synced row that people write. Row, new row, edit, SQL columns and replica derive from it. */
export interface WrittenField {
  /** Its value in a row. A field that was added later has a default, for rows of earlier releases and backups. */
  readonly stored: z.ZodType
  /** The rule for input, without a default: an edit leaves absent fields unchanged. */
  readonly written: z.ZodType
  /** Its value in a new row if the input lacks it; a field without one is required. */
  readonly initial?: unknown
}

type Fields = Readonly<Record<string, WrittenField>>

/** A required text. */
export const text = <Rule extends z.ZodType<string>>(written: Rule) => ({ stored: z.string(), written })

/** The members of a row. */
export const storedShape = <F extends Fields>(fields: F) =>
  each(fields, ({ stored }) => stored) as { [Name in keyof F]: F[Name]['stored'] }

/** The members of an edit, before `partial`. */
export const writtenShape = <F extends Fields>(fields: F) =>
  each(fields, ({ written }) => written) as { [Name in keyof F]: F[Name]['written'] }

/** The members of a new row, with the initial values of those that may be absent. */
export const newShape = <F extends Fields>(fields: F) =>
  each(fields, ({ written, initial }) =>
    initial === undefined ? written : z._default(written, initial),
  ) as {
    [Name in keyof F]: F[Name] extends { initial: unknown }
      ? z.ZodDefault<F[Name]['written']>
      : F[Name]['written']
  }

const each = (fields: Fields, ruleOf: (field: WrittenField) => z.ZodType) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ruleOf(field)]))
