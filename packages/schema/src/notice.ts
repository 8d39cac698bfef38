/** The text of a toast: what happened, and what it means for the person. */
export interface Notice {
  readonly title: string
  readonly description: string
}
