/** What other features may use of uploads. */
export {
  clearUnfinishedUploads,
  receiveFile,
  type ArrivedRecording,
  type Destination,
  type ReceivedTeaching,
} from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, unfinishedUploads, type UnfinishedUpload } from './upload-sweep.ts'
