/** What a multipart call carries. */
interface Parts {
  /** Each defined member becomes a field. */
  body?: object | undefined
  /** The parts that carry a file, by name. */
  files?: Record<string, File | Blob | undefined> | undefined
}

/** The body of a multipart call. Fields go before files, so that the server can refuse before the first megabyte. */
export function formDataOf({ body = {}, files = {} }: Parts): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(definedStrings(body))) form.append(name, value)
  for (const [name, file] of Object.entries(files)) if (file) form.append(name, file)
  return form
}

/** The members that are not undefined, as the strings that a form or a query carries. */
export function definedStrings(members: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
