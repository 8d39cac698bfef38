/** What Node and PostgreSQL say about an error of the system. */
export interface SystemError {
  code?: string
  syscall?: string
  port?: number
  address?: string
  hostname?: string
  path?: string
  message?: string
}
