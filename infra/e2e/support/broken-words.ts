import type { Page } from 'playwright-core'

/**
 * The words on the screen that are broken over two lines, in the order of the page, each once; a hyphen ends a word.
 * Left out are addresses, file names and commands, which have no other place to break, and what people entered that is
 * longer than the longest word of the site, 'Administration'. Times of day and of a recording count as words.
 */
export const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken = new Set<string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (texts.nextNode()) {
      const text = texts.currentNode as Text
      const element = text.parentElement!
      if (!element.checkVisibility({ visibilityProperty: true })) continue
      if (element.closest('script, style, option, textarea, code, [class*=font-mono], .sr-only')) continue
      for (const { 0: chunk, index: from } of text.data.matchAll(/\S+/g)) {
        const isTime = /^\d+(?::\d\d)+$/.test(chunk)
        if (!isTime && /[@/_:\\]\S|\.\p{L}/u.test(chunk)) continue
        for (const { 0: word, index } of chunk.matchAll(isTime ? /.+/g : /[\p{L}\p{N}’']{2,}/gu)) {
          if (word.length > 14) continue
          range.setStart(text, from + index)
          range.setEnd(text, from + index + word.length)
          const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top)
          // On one line the letters of a word differ by less.
          if (Math.max(...tops) - Math.min(...tops) > 6) broken.add(word)
        }
      }
    }
    return [...broken]
  })
