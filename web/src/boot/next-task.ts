/** Resolves in a task of its own: what the browser has waiting, a press or a frame, has its turn before. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
