import { describe } from 'vitest'
import { blobStoreContract } from '../../testing/blob-store-contract.ts'
import { diskBlobStore } from './disk-blob-store.ts'

describe('a blob store on the disk', () =>
  blobStoreContract(async (folder) => diskBlobStore(folder), 9 * 1024 * 1024))
