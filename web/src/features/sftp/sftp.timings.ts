/** Milliseconds from one request of the status to the next. */
export const sftpStatusPollMs = 10_000
