/** Where this browser remembers who was signed in last. */
export const personKey = 'signed-in'
