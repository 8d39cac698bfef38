/** Path to subscribe or unsubscribe a device. A file of its own: the service worker must not load the whole contract. */
export const subscribePath = '/api/push/subscribe'
export const unsubscribePath = '/api/push/unsubscribe'

/** The fragment of an address that a notification without buttons leads to: the page offers to stop them. */
export const toldFragment = 'notified'
