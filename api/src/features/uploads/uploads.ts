/** What other features may use of uploads. */
export { clearSettlements, clearUnfinishedUploads, MendingDuplicate, receiveFile } from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, sweepUploads, unfinishedUploads } from './upload-sweep.ts'
