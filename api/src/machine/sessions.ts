import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Lucia, TimeSpan, type Adapter, type DatabaseSession } from 'lucia'
import { sessionDays } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser, Role } from '@fellowship/schema/auth/auth.schema'
import type { Database, Transaction, Sql } from '../db/connection.ts'

/** Sessions, behind a port; infra/decisions/0002 describes how to replace the library. */
export interface Sessions {
  /** Starts a session in the transaction that allows it; `cookie` is a complete Set-Cookie value. */
  start(userId: number, within?: Transaction): Promise<{ id: string; csrf: string; cookie: string }>
  /** The valid session of a Cookie header, or null. `renewed` is a Set-Cookie value when it was extended. */
  read(cookieHeader: string | undefined): Promise<Session | null>
  /** Whether this session still exists, in the view of the transaction. */
  isValid(id: string, within: Transaction): Promise<boolean>
  /** Ends one session; returns the Set-Cookie value that clears the cookie. */
  end(id: string): Promise<string>
  /** Ends all sessions of a user in the transaction of a password change, deactivation or role change. */
  endAll(userId: number, within?: Transaction): Promise<void>
  purgeExpired(): Promise<void>
}

export interface Session {
  readonly id: string
  readonly csrf: string
  readonly user: CurrentUser
  readonly renewed?: string
}

/** Constant-time comparison of a presented CSRF token with the session's. */
export function csrfMatches(session: Session, presented: string | undefined): boolean {
  const expected = Buffer.from(session.csrf)
  const given = Buffer.from(presented ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Sessions in the `sessions` table through lucia. Set `secure` behind https only: browsers drop Secure cookies on http. */
export function luciaSessions(sql: Database, options: { secure: boolean }): Sessions {
  const lucia = makeLucia(sql, options.secure)
  return {
    async start(userId, within) {
      const csrf = randomBytes(24).toString('base64url')
      const making = within ? makeLucia(within, options.secure) : lucia
      const session = await making.createSession(userId, { csrf })
      return { id: session.id, csrf, cookie: lucia.createSessionCookie(session.id).serialize() }
    },
    async read(cookieHeader) {
      const id = readCookie(lucia, cookieHeader)
      if (!id) return null
      const { session, user } = await lucia.validateSession(id)
      if (!session) return null
      if (!user.isActive) {
        await lucia.invalidateSession(id)
        return null
      }
      const { email, name, role } = user
      const live = { id, csrf: session.csrf, user: { id: user.id, email, name, role } }
      return session.fresh ? { ...live, renewed: lucia.createSessionCookie(id).serialize() } : live
    },
    async isValid(id, within) {
      const [session] = await adapter(within).getSessionAndUser(id)
      return session !== null
    },
    async end(id) {
      await lucia.invalidateSession(id)
      return lucia.createBlankSessionCookie().serialize()
    },
    endAll: (userId, within) => adapter(within ?? sql).deleteUserSessions(userId),
    purgeExpired: () => lucia.deleteExpiredSessions(),
  }
}

declare module 'lucia' {
  interface Register {
    Lucia: ReturnType<typeof makeLucia>
    UserId: number
    DatabaseUserAttributes: UserAttributes
    DatabaseSessionAttributes: SessionAttributes
  }
}
interface UserAttributes {
  email: string
  name: string
  role: Role
  isActive: boolean
}
interface SessionAttributes {
  csrf: string
}

function makeLucia(sql: Sql, secure: boolean) {
  return new Lucia(adapter(sql), {
    sessionExpiresIn: new TimeSpan(sessionDays, 'd'),
    sessionCookie: {
      name: secure ? secureName : plainName,
      attributes: { secure, sameSite: 'lax', path: '/' },
    },
    getUserAttributes: ({ email, name, role, isActive }) => ({ email, name, role, isActive }),
    getSessionAttributes: ({ csrf }) => ({ csrf }),
  })
}

const plainName = 'sid'
/** Browsers accept the __Host- prefix over https only, and for the whole site only. */
const secureName = `__Host-${plainName}`

/** Whether a request has a session cookie; whether the session is valid is not checked. */
export const mayBeSignedIn = (cookies: string | undefined): boolean =>
  (cookies ?? '').split(/;\s*/).some((pair) => [plainName, secureName].includes(pair.split('=')[0]!))

function readCookie(lucia: ReturnType<typeof makeLucia>, header: string | undefined): string | null {
  try {
    return lucia.readSessionCookie(header ?? '')
  } catch {
    // The library's parser throws a URIError for a malformed %-escape anywhere in the header.
    return null
  }
}

/** The column stores a hash, so that a copy of the table contains no usable cookie. */
const stored = (id: string) => createHash('sha256').update(id).digest('hex')

interface SessionRow {
  sess: SessionAttributes & { userId: number }
  expire: Date
}

function adapter(sql: Sql): Adapter {
  const toSession = (id: string, { sess, expire }: SessionRow): DatabaseSession => ({
    id,
    userId: sess.userId,
    expiresAt: expire,
    attributes: { csrf: sess.csrf },
  })
  return {
    async getSessionAndUser(id) {
      const [row] = await sql<(SessionRow & UserAttributes & { id: number | null })[]>`
        select s.sess, s.expire, u.id, u.email, u.name, u.role, u.is_active
        from sessions s left join users u on u.id = (s.sess->>'userId')::int
        where s.sid = ${stored(id)}`
      if (!row) return [null, null]
      const { email, name, role, isActive } = row
      const user = row.id === null ? null : { id: row.id, attributes: { email, name, role, isActive } }
      return [toSession(id, row), user]
    },
    async getUserSessions(userId) {
      const rows = await sql<(SessionRow & { sid: string })[]>`
        select sid, sess, expire from sessions where sess->>'userId' = ${String(userId)}`
      return rows.map((row) => toSession(row.sid, row))
    },
    async setSession({ id, userId, expiresAt, attributes }) {
      await sql`insert into sessions (sid, sess, expire)
        values (${stored(id)}, ${sql.json({ userId, csrf: attributes.csrf })}, ${expiresAt})`
    },
    async updateSessionExpiration(id, expiresAt) {
      await sql`update sessions set expire = ${expiresAt} where sid = ${stored(id)}`
    },
    async deleteSession(id) {
      await sql`delete from sessions where sid = ${stored(id)}`
    },
    async deleteUserSessions(userId) {
      await sql`delete from sessions where sess->>'userId' = ${String(userId)}`
    },
    async deleteExpiredSessions() {
      await sql`delete from sessions where expire <= (now() at time zone 'utc')`
    },
  }
}
