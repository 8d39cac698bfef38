/** Endings of the names of files with the text of a recording; the content decides the format. */
export const captionEndings = ['vtt', 'srt', 'sbv', 'txt'] as const

/** Whether a file is named like the text of a recording. */
export const isCaptionName = (name: string): boolean => /\.(?:vtt|srt|sbv|txt)$/i.test(name)

/** The name without its ending, and the language that some programs write before it: hope.en.vtt. */
export function captionName(name: string): { stem: string; language: string } {
  const whole = name.replace(/\.[^.]*$/, '')
  const language = /\.([a-z]{2,3}(?:-[a-z]{2,4})?)$/i.exec(whole)?.[1]
  return language === undefined
    ? { stem: whole, language: '' }
    : { stem: whole.slice(0, -language.length - 1), language }
}

/** Names that are one for a person: systems write accents and capitals in their own ways. */
export const namedAlike = (stem: string): string => stem.normalize('NFC').toLowerCase().trim().slice(-500)
