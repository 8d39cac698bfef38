import { z } from 'zod'

/**
 * Text that a person types into one line, without the spaces around it. What cannot be seen is refused: PostgreSQL
 * cannot keep a NUL, and nobody would find the others again.
 *
 * @param what the field, as the sentence begins
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
