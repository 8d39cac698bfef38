/** Overrides each browser's own styling of the progress bar. */
export const progressClass =
  'block h-2 w-full appearance-none overflow-hidden rounded-full border-none bg-sunk ' +
  '[&::-webkit-progress-bar]:bg-sunk [&::-webkit-progress-value]:bg-pine [&::-moz-progress-bar]:bg-pine forced-color-adjust-none'
