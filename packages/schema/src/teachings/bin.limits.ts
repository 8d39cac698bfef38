/** How long a deleted teaching and its recording can be brought back. */
export const binDays = 30
