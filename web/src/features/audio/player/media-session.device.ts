import { church } from '@fellowship/schema/church'
import { coverPath } from '@fellowship/schema/covers/cover-path'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { type Player, skipBackSeconds, skipForwardSeconds } from './player-state.ts'

/** Browsers take no rate of 0; at this one the lock screen's clock stands still. */
const standing = 0.001

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
      album: church().name,
      artwork: [
        {
          src: coverPath({ kind: 'teaching', title: recording.title }, 'png'),
          sizes: `${elderPhoto.coverSide}x${elderPhoto.coverSide}`,
          type: 'image/png',
        },
      ],
    })
    for (const [action, handler] of Object.entries(handlers)) {
      try {
        session.setActionHandler(action as MediaSessionAction, handler)
      } catch {
        // The browser does not support this action.
      }
    }
  }
  const place = (playbackRate = audio.playbackRate) => {
    const { duration, position: known } = player.state()
    if (duration === null) return
    // While it loads anew in a dead spot, the element is at 0.
    const position = Math.min(audio.readyState > 0 ? audio.currentTime : known, duration)
    try {
      session.setPositionState({ duration, position, playbackRate })
    } catch {
      // Browsers throw if the length is just changing; the next event sets it.
    }
  }
  const playing = () => {
    introduce()
    place()
    session.playbackState = 'playing'
  }

  // WebKit drops the metadata and the position when playback starts.
  audio.addEventListener('playing', playing)
  audio.addEventListener('pause', () => {
    if (player.state().status !== 'closed') session.playbackState = 'paused'
  })
  for (const name of ['loadedmetadata', 'durationchange', 'ratechange', 'seeked']) {
    audio.addEventListener(name, () => place())
  }
  // It still is to play, which the keys show; only its time stands.
  audio.addEventListener('waiting', () => place(standing))
  player.subscribe(() => {
    const { status } = player.state()
    if (status === 'failed') session.playbackState = 'paused'
    if (status !== 'closed' || session.metadata === null) return
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
  // It is loaded when the first recording plays.
  if (!audio.paused) playing()
}
