import { openTabChannel } from '@fellowship/sync/client/engine/tab-channel'

/**
 * Pauses all tabs but the newest: calls `pause` when another tab of this device starts to sound.
 *
 * @returns announces that this tab starts to sound
 */
export function quietOtherTabs(pause: () => void): () => void {
  const channel = openTabChannel('player')
  channel?.addEventListener('message', pause)
  return () => channel?.postMessage('playing')
}
