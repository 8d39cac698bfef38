/** The localStorage key of the user who was signed in last. */
export const userKey = 'signed-in'
