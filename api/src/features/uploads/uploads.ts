/** The door of the one way in for recordings. */
export {
  clearUnfinishedUploads,
  receiveFile,
  type ArrivedRecording,
  type Destination,
  type ReceivedTeaching,
} from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, unfinishedUploads, type UnfinishedUpload } from './upload-sweep.ts'
