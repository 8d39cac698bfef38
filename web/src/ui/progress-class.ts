/** Overrides each browser's own styling of the progress bar, in late.css. */
export const progressClass =
  'progress block h-2 w-full overflow-hidden rounded-full bg-sunk forced-color-adjust-none'
