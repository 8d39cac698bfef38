/** Days that a deleted teaching and its recording can be restored. */
export const binDays = 30
/** Minutes in which a person can undo a deletion of their own. */
export const undoMinutes = 10
