/** The text of a toast: the event, and its consequence for the person. */
export interface Notice {
  readonly title: string
  readonly description: string
}
