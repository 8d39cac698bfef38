import { handoutLimits as limits } from './handouts.limits.ts'

/** Messages about handouts. */
export const handoutTexts = {
  hint: `Up to ${limits.most}: PDF, JPEG, PNG or WebP, at most ${limits.megabytes} MB each. Each is saved at once.`,
  choiceHint: `Up to ${limits.most}: PDF, JPEG, PNG or WebP, at most ${limits.megabytes} MB each. They are sent after the recording.`,
  tooMany: `Choose at most ${limits.most} files.`,
  full: `A teaching has at most ${limits.most} handouts. Remove one before you add another.`,
  offline: 'Handouts can be added and removed when you are online.',
  confirmRemoval: (name: string) => `${name} is removed for everyone. This cannot be undone.`,
  failed: 'The handouts were not changed',
  noFile: 'Choose a PDF or a picture.',
  tooLarge: `A handout has at most ${limits.megabytes} MB. Save it in a smaller size and add it again.`,
  wrongType:
    'The content of this file is no PDF, JPEG, PNG or WebP, whatever its name. Export it as a PDF and add that.',
  cutShort: 'The end of this PDF is missing. Download or export it again and add that file.',
  protected:
    'This PDF is protected by encryption, so that some devices cannot open it. Save it without protection and add that file.',
  damagedPicture: 'This picture cannot be read. Open it on your device, save it again and add that file.',
  tooManyPixels: 'This picture has more than 50 megapixels. Save it in a smaller size and add it again.',
  gone: 'This teaching was already deleted.',
  removed: 'This handout was already removed.',
  none: 'There is no handout at this address.',
  notOnDevice: 'This handout is not on this device. Open it again when you are online.',
} as const
