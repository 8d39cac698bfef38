import type { HealthLine } from '../system/system.schema.ts'

/** How the feed's public URL responds from outside: its HTTP status, or why there is none. */
export type FromOutside = number | 'not set' | 'not secure' | 'no answer'

/** Whether the URL can be submitted to directories. */
export function checkAddress(address: string, outside: FromOutside): HealthLine {
  const line = { id: 'address', label: 'Address' }
  if (outside === 'not set') {
    return {
      ...line,
      state: 'attention',
      sentence: `The site’s public address is not set, so the feed calls itself ${address}.`,
      advice: 'Ask whoever runs the server to set PUBLIC_URL to the https address that people use.',
    }
  }
  if (outside === 'not secure') {
    return {
      ...line,
      state: 'bad',
      sentence: 'Directories only accept addresses that begin with https://.',
      advice: 'Ask whoever runs the server to give the site an https address and set PUBLIC_URL to it.',
    }
  }
  if (outside === 'no answer') {
    return {
      ...line,
      state: 'attention',
      sentence: `This server could not reach ${address} the way the world does.`,
      advice: 'Open the address on a phone without Wi-Fi. If it answers there, all is well.',
    }
  }
  if (outside === 200) {
    return { ...line, state: 'good', sentence: 'The feed answers at its public https address.', advice: '' }
  }
  return {
    ...line,
    state: 'bad',
    sentence: `At its public address the feed answers with the status ${outside}.`,
    advice: 'Ask whoever runs the server to let its proxy forward /feed.xml to the site.',
  }
}
