import { InlinePlayer } from './inline-player.tsx'
import type { Playable, Player } from './player-state.ts'
import { useSound, Waveform } from './waveform.tsx'

/** The player of a teaching's page, with its waveform if the recording was measured. */
export function PagePlayer({ player, recording }: { player: Player; recording: Playable }) {
  const sound = useSound(recording.soundUrl)
  return (
    <InlinePlayer
      player={player}
      recording={recording}
      picture={sound && ((share) => <Waveform sound={sound} share={share} />)}
    />
  )
}
