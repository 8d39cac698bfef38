import { church } from '@fellowship/schema/church'
import { skipBackSeconds, skipForwardSeconds, type Player } from './player-state.ts'

/**
 * Shows the recording on the lock screen and in the car, and handles their buttons and the headset's keys. Up next sets
 * previous and next only if there is a neighbour: phones show only two buttons beside play, and for a single teaching
 * these are back and forward.
 */
export function connectMediaSession(player: Player, audio: HTMLAudioElement): void {
  const session = navigator.mediaSession as MediaSession | undefined
  if (!session || typeof MediaMetadata === 'undefined') return
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => player.play(),
    pause: () => player.pause(),
    stop: () => player.close(),
    seekbackward: ({ seekOffset }) => player.skip(-(seekOffset ?? skipBackSeconds)),
    seekforward: ({ seekOffset }) => player.skip(seekOffset ?? skipForwardSeconds),
    seekto: ({ seekTime }) => seekTime !== undefined && player.seek(seekTime),
  }

  const introduce = () => {
    const { recording } = player.state()
    if (!recording) return
    session.metadata = new MediaMetadata({
      title: recording.title,
      artist: recording.speaker,
      album: church.name,
      artwork: [192, 512].map((size) => ({
        src: `/icons/icon-${size}.png`,
        sizes: `${size}x${size}`,
        type: 'image/png',
      })),
    })
    for (const [action, handler] of Object.entries(handlers)) {
      try {
        session.setActionHandler(action as MediaSessionAction, handler)
      } catch {
        // The browser does not support this action.
      }
    }
  }
  const place = () => {
    if (!Number.isFinite(audio.duration) || audio.duration <= 0) return
    const position = Math.min(audio.currentTime, audio.duration)
    try {
      session.setPositionState({ duration: audio.duration, position, playbackRate: audio.playbackRate })
    } catch {
      // Browsers throw if the length is just changing; the next event sets it.
    }
  }

  // WebKit drops the metadata and the position when playback starts.
  audio.addEventListener('playing', () => {
    introduce()
    place()
    session.playbackState = 'playing'
  })
  audio.addEventListener('pause', () => {
    if (player.state().status !== 'closed') session.playbackState = 'paused'
  })
  for (const name of ['loadedmetadata', 'durationchange', 'ratechange', 'seeked']) {
    audio.addEventListener(name, place)
  }
  player.subscribe(() => {
    if (player.state().status !== 'closed' || session.metadata === null) return
    session.metadata = null
    session.playbackState = 'none'
    for (const action of Object.keys(handlers)) {
      try {
        session.setActionHandler(action as MediaSessionAction, null)
      } catch {
        // As above.
      }
    }
  })
}
