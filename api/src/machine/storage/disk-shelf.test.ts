import { describe } from 'vitest'
import { shelfContract } from '../../testing/shelf-contract.ts'
import { diskShelf } from './disk-shelf.ts'

describe('a shelf on the disk', () => shelfContract(async (folder) => diskShelf(folder), 9 * 1024 * 1024))
