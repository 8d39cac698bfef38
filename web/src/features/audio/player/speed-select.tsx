import { Select } from '../../../ui/field.tsx'
import type { Player } from './player-state.ts'
import { speeds } from './speeds.ts'
import { usePlayerState } from './use-player.ts'

/** The playback speed, remembered for each speaker. */
export function SpeedSelect({ player }: { player: Player }) {
  const speed = usePlayerState(player, (state) => state.speed)
  return (
    <Select
      aria-label="Speed"
      className="pr-9! pl-3!"
      value={speed}
      onChange={(event) => player.setSpeed(Number(event.target.value))}
    >
      {speeds.map((choice) => (
        <option key={choice} value={choice}>
          {choice}×
        </option>
      ))}
    </Select>
  )
}
