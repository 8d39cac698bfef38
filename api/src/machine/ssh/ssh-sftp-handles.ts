import type { FileEntry } from 'ssh2'
import { FileRefusal } from './ssh-files.ts'
import type { OrderedFile } from './ssh-open-file.ts'

/** An open file, or an open folder with the entries not yet read. */
type Handle = { file: OrderedFile } | { left: FileEntry[] }

export interface OpenHandles {
  /** @throws FileRefusal where too many are open */
  assertRoom(): void
  /** Returns the name by which the client refers to it. */
  add(handle: Handle): Buffer
  /** @throws FileRefusal where the name is no open file */
  file(name: Buffer): OrderedFile
  /** @throws FileRefusal where the name is no open folder */
  folder(name: Buffer): FileEntry[]
  /** Returns the file to be closed; undefined for a folder. */
  remove(name: Buffer): OrderedFile | undefined
  /** Removes all; returns the files to be closed. */
  clear(): OrderedFile[]
}

/** Room for the handles of all channels. */
export interface HandleRoom {
  isFull(): boolean
  add(handles: number): void
}

export function handleRoom(most: number): HandleRoom {
  let taken = 0
  return {
    isFull: () => taken >= most,
    add(handles) {
      taken += handles
    },
  }
}

/** The files and folders that one channel has open. */
export function openHandles(most: number, room: HandleRoom): OpenHandles {
  const handles = new Map<number, Handle>()
  let last = 0
  return {
    assertRoom() {
      if (handles.size >= most || room.isFull())
        throw new FileRefusal('failure', 'Too many files are open at once.')
    },
    add(handle) {
      const name = Buffer.alloc(4)
      name.writeUInt32BE((last += 1))
      handles.set(last, handle)
      room.add(1)
      return name
    },
    file(name) {
      const handle = handleOf(name)
      if (!('file' in handle)) throw new FileRefusal('failure', 'This is a folder.')
      return handle.file
    },
    folder(name) {
      const handle = handleOf(name)
      if (!('left' in handle)) throw new FileRefusal('failure', 'This is not a folder.')
      return handle.left
    },
    remove(name) {
      const handle = handleOf(name)
      handles.delete(name.readUInt32BE())
      room.add(-1)
      return 'file' in handle ? handle.file : undefined
    },
    clear() {
      const open = [...handles.values()]
      room.add(-open.length)
      handles.clear()
      return open.flatMap((handle) => ('file' in handle ? [handle.file] : []))
    },
  }

  function handleOf(name: Buffer): Handle {
    const handle = name.length === 4 ? handles.get(name.readUInt32BE()) : undefined
    if (!handle) throw new FileRefusal('failure', 'This file is not open.')
    return handle
  }
}
