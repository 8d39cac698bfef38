/** The chosen files whose sound was checked and shown on this page. */
const shown = new WeakSet<File>()

export const noteShownSound = (file: File): void => void shown.add(file)

/** The answer to the server's question about the sound, if the person saw it before the file was sent. */
export const soundAnswerOf = (file: File): { acceptSound?: true } =>
  shown.has(file) ? { acceptSound: true } : {}
