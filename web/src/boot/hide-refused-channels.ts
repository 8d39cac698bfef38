/**
 * Firefox has channels between tabs by name where it refuses site data, and throws at their use. Without the name, whatever
 * asks for one does without it; the database library asks as it is loaded, so this comes first.
 */
export function hideRefusedChannels(): void {
  try {
    new BroadcastChannel('probe').close()
  } catch {
    Reflect.deleteProperty(globalThis, 'BroadcastChannel')
  }
}
