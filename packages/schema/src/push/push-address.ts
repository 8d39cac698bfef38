/** Where a device subscribes; alone here, for the service worker, which has no room for the whole contract. */
export const subscribePath = '/api/push/subscribe'
