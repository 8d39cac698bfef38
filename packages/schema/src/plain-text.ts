import { z } from 'zod'

/**
 * A trimmed single line of text. Control and invisible characters are refused: PostgreSQL cannot store a NUL, and nobody
 * could search for the others.
 *
 * @param what the field's name, which begins the sentence
 */
export const plainLine = (what: string) =>
  z
    .string()
    .trim()
    .regex(/^\P{Cc}*$/u, withoutControls(what))

/** The same for several lines, with tabs. */
export const plainLines = (what: string) =>
  z
    .string()
    // Forms send line ends as CRLF; a text that went through one is the same text.
    .overwrite((text) => text.replace(/\r\n?/g, '\n'))
    .trim()
    .regex(/^(?:\P{Cc}|[\t\n])*$/u, withoutControls(what))

const withoutControls = (what: string) => ({
  error: `${what} must not hold control characters. Type it again.`,
})
