/** The door of the one way in for recordings. */
export {
  clearUnfinishedUploads,
  editTeaching,
  receiveFile,
  type ArrivedRecording,
  type Destination,
  type DuplicateOf,
  type Once,
  type ReceivedTeaching,
} from './receive-file.ts'
export { checkFields, mergeFields } from './upload-fields.ts'
export { removeOrphan, unfinishedUploads, type UnfinishedUpload } from './upload-sweep.ts'
