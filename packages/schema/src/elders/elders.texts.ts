import type { Notice } from '../notice.ts'
import { elderLimits } from './elders.limits.ts'

/** Messages about elders. The description of a failure is the server's sentence. */
export const elderTexts = {
  created: 'Elder Created',
  updated: 'Elder Updated',
  deleted: 'Elder Deleted',
  photoUploaded: 'Photo Uploaded',
  creationFailed: 'Creation Failed',
  updateFailed: 'Update Failed',
  deletionFailed: 'Deletion Failed',
  uploadFailed: 'Upload Failed',
  fetchFailed: 'Failed to fetch elders',
  invalidFileType: {
    title: 'Invalid File Type',
    description: 'Please select a JPEG, PNG, or WebP image.',
  },
  fileTooLarge: { title: 'File Too Large', description: 'Please select an image smaller than 5MB.' },
  nameRequired: 'Enter a name.',
  roleRequired: 'Enter a role.',
  shortBioRequired: 'Enter a short bio.',
  extendedBioRequired: 'Enter an extended bio.',
  foreignImage: 'A photo is uploaded separately; here it can only be removed.',
  noOrderBehind: `Display order ${elderLimits.displayOrder} is taken, and is the highest there is: nobody can move behind it. Enter a lower number.`,
  allFull: 'The texts of all elders together are as long as they may be. Shorten some first.',
  gone: 'This elder was already deleted.',
  changed: 'Somebody else has changed this elder since you opened it. Compare, then save again.',
  none: 'Come and meet our elders in person, any Sunday.',
  damagedImage: 'This image cannot be read. Open it on your device, save it again and upload that file.',
  imageTooManyPixels: 'This image has too many pixels. Resize it (2000 pixels wide is plenty) and try again.',
  confirmDelete: (name: string) => `Are you sure you want to delete ${name}? This action cannot be undone.`,
} as const satisfies Record<string, string | Notice | ((name: string) => string)>
