/** The door of the one way in for recordings. */
export {
  clearUnfinishedUploads,
  editTeaching,
  receiveFile,
  type ArrivedRecording,
  type Destination,
  type Once,
  type ReceivedTeaching,
} from './receive-file.ts'
export {
  listInbox,
  publishLeftArrivals,
  reopenArrival,
  sweepInbox,
  takeArrival,
  type Arrival,
} from './inbox.ts'
export { removeOrphan, unfinishedUploads, type UnfinishedUpload } from './upload-sweep.ts'
