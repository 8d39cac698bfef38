/** Milliseconds from the click on 'Reload Application' to the reload. */
export const reloadDelayMs = 500
