/** Messages in a dialog over a row that is open while something else happens. */
export const heldTexts = {
  signedOut: 'You are signed out. What you entered is still here: sign in to save it.',
  outdated:
    'The app was updated in another tab, and this page cannot save any more. Your words stay on this device: reload, and open this again.',
  older:
    'A newer version of the app was used on this device. This older one can read here, but not save. Your words stay on this device.',
  draft: (time: string) => `Your words of ${time} are here again.`,
  changed: 'Changed since you opened this, and kept unless you edit the same field:',
  gone: 'Deleted since you opened this.',
} as const
