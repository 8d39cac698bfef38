/** Length of the column, and notices in all: every device stores them. */
export const noticeLimits = { text: 500, all: 100 } as const
