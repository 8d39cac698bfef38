import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext, Hono } from 'hono'

export interface Env {
  Bindings: HttpBindings
}
export type App = Hono<Env>
/** One request and its response. */
export type Http = HonoContext<Env>
