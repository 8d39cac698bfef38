/** Days that a deleted teaching and its recording can be restored. */
export const binDays = 30
