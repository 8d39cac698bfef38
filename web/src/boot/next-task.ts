/** Resolves in a new task, after pending input and frames. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
