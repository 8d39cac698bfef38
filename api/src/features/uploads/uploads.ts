/** What other features may use of uploads. */
export { clearUnfinishedUploads, MendingDuplicate, receiveFile } from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, unfinishedUploads } from './upload-sweep.ts'
