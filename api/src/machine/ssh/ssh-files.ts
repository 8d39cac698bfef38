/** Attributes of a file or folder. */
export interface FileFacts {
  readonly isFolder: boolean
  readonly size: number
  /** Seconds since 1970. */
  readonly modifiedAt: number
}

/** How to open a file: the SSH_FXF_* flags of draft-ietf-secsh-filexfer-02. */
export interface OpenWish {
  /** One object for everything that one SFTP session opens. */
  readonly session: object
  readonly read: boolean
  readonly write: boolean
  readonly create: boolean
  readonly truncate: boolean
  readonly exclusive: boolean
  /** The file size, if the client announced one. */
  readonly announcedSize?: number | undefined
}

export interface FileChanges {
  readonly size?: number | undefined
  readonly modifiedAt?: number | undefined
}

export interface OpenedFile {
  /** The refusal of a write that ends at byte `end`, if any; checked before it is acknowledged. */
  refusalOf(end: number): FileRefusal | undefined
  /** Writes all pieces consecutively from `position` on. One call at a time. */
  write(position: number, pieces: readonly Uint8Array[]): Promise<void>
  /** Reads into `into` up to the end of the file; returns the bytes read. */
  read(position: number, into: Buffer): Promise<number>
  facts(): Promise<FileFacts>
  change(changes: FileChanges): Promise<void>
  /** @param clean whether the client closed it; false if its connection ended first */
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

/** A refusal with a sentence for the client's screen. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal'
  readonly kind: RefusalKind
  constructor(kind: RefusalKind, sentence: string) {
    super(sentence)
    this.kind = kind
  }
}
