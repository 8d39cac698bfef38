/** The content of a multipart call. */
interface Parts {
  /** Each defined member becomes a field. */
  body?: object | undefined
  /** The parts that carry a file, by name. */
  files?: Record<string, File | Blob | undefined> | undefined
}

/** Builds the body of a multipart call. Fields precede files, so that the server can reject before it reads a file. */
export function formDataOf({ body = {}, files = {} }: Parts): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(definedStrings(body))) form.append(name, value)
  for (const [name, file] of Object.entries(files)) if (file) form.append(name, file)
  return form
}

/** Returns the defined members as strings for a form or a query; anything but a string is JSON-encoded. */
export function definedStrings(members: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
