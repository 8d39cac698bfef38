import { openTabChannel } from '@fellowship/sync/client/engine/tab-channel'

/**
 * Lets the newest tab play alone: calls `pause` when another tab of this device starts to sound.
 *
 * @returns says that this tab starts to sound
 */
export function quietOtherTabs(pause: () => void): () => void {
  const channel = openTabChannel('player')
  channel?.addEventListener('message', pause)
  return () => channel?.postMessage('playing')
}
