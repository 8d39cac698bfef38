import { church } from '@fellowship/schema/church'
import { skipBackSeconds, skipForwardSeconds, type Player } from './player-state.ts'

/**
 * Lock screen, headset keys and car: shows what is playing, and lets it pause and skip. Previous and next are set by
 * Up next while there is one: phones show only two buttons beside play, and for a single spoken word these are back and
 * forward.
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
        // An action this browser does not know.
      }
    }
  }
  const place = () => {
    if (!Number.isFinite(audio.duration) || audio.duration <= 0) return
    const position = Math.min(audio.currentTime, audio.duration)
    try {
      session.setPositionState({ duration: audio.duration, position, playbackRate: audio.playbackRate })
    } catch {
      // Refused for a moment while the length changes; the next event sets it.
    }
  }

  // WebKit forgets both whenever playback starts.
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
