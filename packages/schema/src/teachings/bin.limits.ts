/** Days that a deleted teaching and its recording can be restored. */
export const binDays = 30
/** Minutes in which whoever deleted something can bring it back. */
export const undoMinutes = 10
