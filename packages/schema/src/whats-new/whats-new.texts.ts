/** Messages about teachings that are new on this device. */
export const whatsNewTexts = {
  newSince: (count: number) => `${count} new since your last visit`,
  title: 'New since your last visit',
  none: 'Nothing is new since your last visit',
  noneHint: 'What is added to the library from now on is marked when you come back.',
}
