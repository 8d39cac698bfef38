import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axeCore from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.2, levels A and AA, which includes those of 2.0 and 2.1. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

const allRules: axeCore.RunOptions = {
  runOnly: { type: 'tag', values: tags },
  // No rule of WCAG, but screen readers go from heading to heading.
  rules: { 'heading-order': { enabled: true } },
  resultTypes: ['violations'],
}
/** The rules that read computed colours. */
const colourRules: axeCore.RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  resultTypes: ['violations'],
}

/**
 * Violations of WCAG 2.2 AA on the page as it stands, one line each: `color-contrast at .note: why`. While a modal dialog is
 * open, of that alone: the page below is inert.
 */
export async function violations(page: Page, which: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const result = await page.evaluate(
    (options) => {
      const modal = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1)
      return (globalThis as unknown as { axe: typeof axeCore }).axe.run(modal ?? document, options)
    },
    which === 'all' ? allRules : colourRules,
  )
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  )
}
