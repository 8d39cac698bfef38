import { commandMs } from './engine-browser.ts'

/** A session of W3C WebDriver. */
export interface WebDriverSession {
  /** Sends a command of the session and gives its value. */
  readonly command: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>
  /** Ends the session and its browser. */
  end(): Promise<void>
}

/** Starts a session at a driver, such as `http://127.0.0.1:4444`, once the driver answers. */
export async function startSession(driver: string, capabilities: object): Promise<WebDriverSession> {
  const started = (await send(driver, 'POST', '/session', {
    capabilities: { alwaysMatch: capabilities },
  })) as {
    sessionId: string
  }
  const session = `/session/${started.sessionId}`
  const command: WebDriverSession['command'] = (method, path, body) =>
    send(driver, method, session + path, body)
  await command('POST', '/timeouts', { script: commandMs, pageLoad: commandMs, implicit: 0 })
  return {
    command,
    async end() {
      await send(driver, 'DELETE', session)
    },
  }
}

/** The property of a JSON object that stands for an element of the page. */
export const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

async function send(
  driver: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await fetch(driver + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(commandMs + 10_000),
  })
  const { value } = (await answer.json()) as { value: unknown }
  if (!answer.ok) {
    const { error, message } = value as { error: string; message: string }
    throw new Error(`${method} ${path}: ${error}: ${message}`)
  }
  return value
}
