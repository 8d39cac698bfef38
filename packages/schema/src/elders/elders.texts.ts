import type { Notice } from '../notice.ts'

/** SPEC §5 and §8, elders. A failure's description is the server's sentence. */
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
  confirmDelete: (name: string) => `Are you sure you want to delete ${name}? This action cannot be undone.`,
} as const satisfies Record<string, string | Notice | ((name: string) => string)>
