/** Messages about notifications of new teachings. */
export const pushTexts = {
  question: 'Notify me about new teaching',
  hint: 'A notification on this device, with the title and the speaker. The server keeps no name, no email and no account with it.',
  homeScreenFirst:
    'On an iPhone or iPad this works from the Home Screen only. Add it to the Home Screen first (Share, then “Add to Home Screen”), open it there, and choose it here.',
  openInSafari:
    'This window belongs to another app, which has no notifications. Open the site in Safari, add it to the Home Screen (Share, then “Add to Home Screen”), and choose it there.',
  unable:
    'This browser shows no notifications of websites. The podcast feed, in any podcast app, tells you of new teachings too.',
  blocked:
    'Notifications of this site are blocked on this device. Allow them in the settings of the browser, under this site, then open this again.',
  notAllowed:
    'The browser was not allowed to show notifications. Choose again, and answer its question with Allow.',
  notReady: 'This page is not set up for that yet. Reload it once while you have signal, then choose again.',
  serviceUnreachable:
    'The notification service of this browser could not be reached. Check the connection, then choose again.',
  installed: {
    title: 'Installed',
    description: 'Opened from there, “Settings” at the end of each page lets it tell you of new teachings.',
  },
  asking: 'Asking the browser …',
  stop: 'Stop these',
  stopped: 'This device is told of new teachings no more. “Settings” turns it on again.',
  told: {
    title: 'A notification led here',
    description: 'This device asked to be told of new teachings.',
  },
  newTeaching: 'A new teaching is in the library.',
  newTeachings: (count: number, named: string) => `${count} new teachings: ${named}`,
  endpointPublic:
    'The endpoint must be an https address of a public host, as the push service of a browser gives it. Subscribe again in the browser.',
  keysDamaged:
    'These are no keys of a push subscription. Subscribe again in the browser, and send them as it gives them.',
  full: 'This server tells as many devices as it can already. Ask the elders, or follow the podcast feed instead.',
}
