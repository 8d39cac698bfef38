/** The exports for other features. */
export {
  clearSettlements,
  clearUnfinishedUploads,
  MendingDuplicate,
  receiveFile,
  type ArrivedRecording,
  type Destination,
} from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, sweepUploads, unfinishedUploads } from './upload-sweep.ts'
