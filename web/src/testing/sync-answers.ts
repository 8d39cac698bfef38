/** The pull of a device whose last one ended at the cursor `x`, as a key of `testServer`. */
export const pulled = 'GET /api/sync?since=x&schema=2'

/** The answer to it: nothing has changed. */
export const nothingNew = {
  mode: 'delta',
  changes: [],
  next: 'x',
  more: false,
  head: { rev: 12 },
  serverTime: new Date().toISOString(),
  minClientSchema: 1,
}
