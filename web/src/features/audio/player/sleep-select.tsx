import { useEffect, useState } from 'react'
import { Moon } from 'lucide-react'
import { classNames } from '../../../lib/class-names.ts'
import { Select } from '../../../ui/field.tsx'
import type { Player } from './player-state.ts'
import { usePlayerState } from './use-player.ts'

/** Selects the sleep timer. While it runs, the first option shows the time left. */
export function SleepSelect({ player }: { player: Player }) {
  const sleep = usePlayerState(player, (state) => state.sleep)
  const left = useMinutesLeft(typeof sleep === 'number' ? sleep : null)
  const value = sleep === null ? 'off' : sleep === 'end' ? 'end' : 'running'
  return (
    <div className="relative min-w-0">
      <Moon className="pointer-events-none absolute top-1/2 left-3 z-1 size-5 -translate-y-1/2 text-soft sm:hidden" />
      <Select
        aria-label="Sleep timer"
        // On a phone a moon alone, until it runs: with its words it took a line of its own.
        className={classNames(
          'pr-9! pl-3! max-sm:pl-10!',
          value === 'off' && 'max-sm:w-19! max-sm:text-transparent! max-sm:[&_option]:text-ink',
        )}
        value={value}
        onChange={({ target }) => {
          const after = Number(target.value)
          player.setSleep(target.value === 'end' ? 'end' : after > 0 ? after : null)
        }}
      >
        {left !== null && (
          <option value="running" hidden>
            Stops in {left} min
          </option>
        )}
        <option value="off">{value === 'off' ? 'Sleep timer' : 'Sleep timer off'}</option>
        {choices.map((minutes) => (
          <option key={minutes} value={minutes}>
            Stop after {minutes} min
          </option>
        ))}
        <option value="end">Stop at the end of this teaching</option>
      </Select>
    </div>
  )
}

const choices = [15, 30, 45, 60]

function useMinutesLeft(until: number | null): number | null {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (until === null) return
    const tick = () => setNow(Date.now())
    const timer = setInterval(tick, 10_000)
    const first = setTimeout(tick)
    return () => {
      clearInterval(timer)
      clearTimeout(first)
    }
  }, [until])
  return until === null ? null : Math.max(1, Math.ceil((until - now) / 60_000))
}
