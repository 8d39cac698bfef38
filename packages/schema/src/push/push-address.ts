/** Where a device subscribes, and where it stops that; alone here, for the service worker, which has no room for the whole contract. */
export const subscribePath = '/api/push/subscribe'
export const unsubscribePath = '/api/push/unsubscribe'

/** The fragment of an address that a notification without buttons leads to: the page offers to stop them. */
export const toldFragment = 'notified'
