/**
 * Whether an address may be that of a push service: https at its own port, and a host with a name of several labels that
 * the public network could have. What the name leads to is checked when a message is sent.
 */
export function isPushEndpoint(text: string): boolean {
  const host = /^https:\/\/([^/?]+)[/?][\x21-\x7e]*$/.exec(text)?.[1]?.toLowerCase()
  return host !== undefined && publicName.test(host) && !privateName.test(host)
}

/** Without a port or a user. The last label has a letter first: addresses in numbers have none. */
const publicName = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*$/
const privateName = /\.(?:local|localhost|internal|intranet|lan|home|corp|arpa|test|invalid)$/
