import type { SftpStatus } from '@fellowship/schema/sftp/sftp.schema'
import { Card } from '../../ui/card.view.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'

/** The connection data for an SFTP client, each value with a copy button. */
export function SftpConnection({ status }: { status: SftpStatus }) {
  const { host, port, username, fingerprint } = status
  const rows: readonly [string, string][] = [
    ['Host', host],
    ['Port', String(port)],
    ['Username', username],
    ['Fingerprint', fingerprint],
    ['Address', `sftp://${username}@${host}:${port}`],
  ]
  return (
    <Card className="admin-box">
      <h3 className="text-xl">Connection information</h3>
      <ul className="mt-3 divide-y divide-line">
        {rows.map(([term, text]) => (
          <li key={term} className="flex flex-wrap items-center gap-x-3 py-1.5">
            <div className="admin-beside">
              <p className="text-small text-soft">{term}</p>
              <p className="font-mono text-small wrap-anywhere">{text}</p>
            </div>
            <CopyButton what={term} text={text} />
          </li>
        ))}
      </ul>
      <p className="mt-3 text-small text-soft">
        The fingerprint is what a program shows at the first connection. If it shows another one, do not
        continue.
      </p>
    </Card>
  )
}
