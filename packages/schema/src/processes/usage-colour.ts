import { usagePercent } from './processes.limits.ts'
import { processTexts } from './processes.texts.ts'

type UsageColour = 'green' | 'yellow' | 'red'

/** Under 70 % green, 70 to 90 % yellow, 90 % and above red, with the message. */
export function usageOf(
  total: number,
  limit: number,
): { colour: UsageColour; message: string; percent: number } {
  const percent = limit > 0 ? (total / limit) * 100 : 100
  if (percent >= usagePercent.red) return { colour: 'red', message: processTexts.critical, percent }
  if (percent >= usagePercent.yellow) return { colour: 'yellow', message: processTexts.warning, percent }
  return { colour: 'green', message: processTexts.healthy, percent }
}
