/** What a client learns of a file or folder. */
export interface FileFacts {
  readonly isFolder: boolean
  readonly size: number
  /** Seconds since 1970. */
  readonly modifiedAt: number
}

/** How a file is to be opened: SSH_FXF_* of draft-ietf-secsh-filexfer-02, each as it was asked. */
export interface OpenWish {
  readonly read: boolean
  readonly write: boolean
  readonly create: boolean
  readonly truncate: boolean
  readonly exclusive: boolean
  /** The size the client announced, where it did. */
  readonly announcedSize?: number | undefined
}

export interface FileChanges {
  readonly size?: number | undefined
  readonly modifiedAt?: number | undefined
}

export interface OpenedFile {
  /** Why no write may reach as far as `end` bytes; asked before one is acknowledged. */
  refusalOf(end: number): FileRefusal | undefined
  /** Writes all of the pieces, one behind the other, from `position` on. One call at a time. */
  write(position: number, pieces: readonly Uint8Array[]): Promise<void>
  /** Fills `into`, as far as the file reaches; how many bytes that were. */
  read(position: number, into: Buffer): Promise<number>
  facts(): Promise<FileFacts>
  change(changes: FileChanges): Promise<void>
  /** @param clean whether the client closed it; false where its connection ended first */
  close(clean: boolean): Promise<void>
}

/** The files that a signed-in client sees. Paths are absolute, normalized and begin with '/'. */
export interface ServedFiles {
  facts(path: string): Promise<FileFacts>
  list(path: string): Promise<{ name: string; facts: FileFacts }[]>
  open(path: string, wish: OpenWish): Promise<OpenedFile>
  makeFolder(path: string): Promise<void>
  removeFolder(path: string): Promise<void>
  remove(path: string): Promise<void>
  rename(from: string, to: string, options: { overwrite: boolean }): Promise<void>
  change(path: string, changes: FileChanges): Promise<void>
}

export type RefusalKind = 'no-such-file' | 'permission-denied' | 'failure' | 'unsupported'

/** A refusal in words for the client's screen. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal'
  readonly kind: RefusalKind
  constructor(kind: RefusalKind, sentence: string) {
    super(sentence)
    this.kind = kind
  }
}
