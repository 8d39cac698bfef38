import type { Config } from '../config/config.ts'
import type { Log } from '../machine/log.ts'

/**
 * Warns once when a change is refused as coming from another site although it may be the site's own: a proxy that does not
 * pass Host on looks like that.
 */
export function hostAdvice(): (
  refused: { origin: string | undefined; host: string | undefined },
  context: { config: Pick<Config, 'publicUrl'>; log: Pick<Log, 'warn'> },
) => void {
  let isSaid = false
  return ({ origin, host }, { config, log }) => {
    if (isSaid || config.publicUrl !== undefined || !origin || !URL.canParse(origin)) return
    isSaid = true
    log.warn(
      `A request from ${new URL(origin).origin} was refused, since this server was asked as ${host ?? 'nobody'}. ` +
        'If that is the address of your site, set PUBLIC_URL to it, and let the proxy pass Host on.',
    )
  }
}
