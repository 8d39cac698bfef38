import { z } from 'zod'

/**
 * A trimmed single line of text. Control characters are refused: PostgreSQL cannot store a NUL, people cannot type the
 * others into a search, and if they change the direction of writing, a text looks like another one. Lone surrogates are
 * refused too: UTF-8 cannot encode them, and PostgreSQL rejects them in JSON.
 *
 * @param what name of the field, at the start of the sentence
 */
export const plainLine = (what: string) =>
  z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, withoutControls(what))

/** The same for several lines, with tabs. */
export const plainLines = (what: string) =>
  z
    .string()
    // Forms send line ends as CRLF; a text that went through one is the same text.
    .overwrite((text) => text.replace(/\r\n?/g, '\n'))
    .trim()
    .regex(/^(?:[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]|[\t\n])*$/u, withoutControls(what))

const withoutControls = (what: string) => ({
  error: `${what} must not hold control characters. Type it again.`,
})

/** A person's name: a line without an address of the web, which would go out in the church's mails. */
export const personName = (what: string) =>
  plainLine(what).regex(/^(?!.*(?:\/\/|\bwww\.|\.(?:com|net|org|info|biz|io|nz|co|xyz|site|shop)\b))/iu, {
    error: `${what} must not hold a web address.`,
  })
