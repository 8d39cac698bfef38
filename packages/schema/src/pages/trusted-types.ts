/**
 * The one policy by which scripts of the page may turn text into markup or into the address of a script. The browser asks
 * the policy of this name for every such text.
 */
export const trustedTypesPolicy = 'default'
