import type { HealthLine } from '@fellowship/schema/system/system.contract'
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Card } from './card.view.tsx'

/**
 * The result of each health check in a sentence, with advice if it is not good.
 *
 * @param actionOf the button of a line that has one
 */
export function HealthList({
  lines,
  actionOf = () => null,
}: {
  lines: readonly HealthLine[]
  actionOf?: (line: HealthLine) => ReactNode
}) {
  return (
    <Card className="overflow-hidden">
      <ul className="divide-y divide-line">
        {byUrgency(lines).map((line) => {
          const { id, label, state, sentence, advice } = line
          const { Icon, tone, word } = looks[state]
          return (
            <li key={id} className="admin-line flex flex-wrap gap-x-4 gap-y-1">
              <Icon className={classNames('mt-0.5 size-6 shrink-0', tone)} />
              <div className="admin-beside">
                <p>
                  <span className="font-semibold">{label}.</span>
                  <span className="sr-only"> {word}:</span> {sentence}
                </p>
                {advice !== '' && <p className="mt-0.5 text-soft">{advice}</p>}
                {actionOf(line)}
              </div>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const urgencies = ['bad', 'attention', 'good'] as const

/** Failing checks first, each kind in the given order. */
const byUrgency = (lines: readonly HealthLine[]) =>
  urgencies.flatMap((state) => lines.filter((line) => line.state === state))

const looks = {
  good: { Icon: CircleCheck, tone: 'text-leaf', word: 'Good' },
  attention: { Icon: CircleAlert, tone: 'text-wheat-text', word: 'Needs attention' },
  bad: { Icon: CircleX, tone: 'text-brick', word: 'Bad' },
}
