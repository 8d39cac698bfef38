import type { Sql } from '../db/connection.ts'

/** A process that serves the database. */
export interface RunningProcess {
  /** Names the process; see `Locks.owner`. */
  owner: string
  /** Names its data folder. */
  nodeId: string
  host: string
  /** The bucket of its recordings; null if they are on its own disk. */
  bucket: string | null
  /** A known text, sealed under its APP_SECRET. */
  secretCheck: string
  stopping: boolean
}

/** The other processes that sent a heartbeat lately, the longest silent first. */
export const othersSeen = (sql: Sql, owner: string): Promise<RunningProcess[]> => sql<RunningProcess[]>`
  select owner, workshop as node_id, host, bucket, secret_check, stopping from server_processes
  where owner <> ${owner} and ${isSeen(sql)} order by seen_at`

/** Writes a heartbeat. The first one adds the process; later ones change only whether it is stopping. */
export async function writeHeartbeat(sql: Sql, { nodeId, ...process }: RunningProcess): Promise<void> {
  await sql`insert into server_processes ${sql({ ...process, workshop: nodeId })}
    on conflict (owner) do update set seen_at = clock_timestamp(), stopping = excluded.stopping`
}

/** Removes a process, and with it its leases. */
export async function removeProcess(sql: Sql, owner: string): Promise<void> {
  await sql`delete from server_processes where owner = ${owner}`
}

/** Takes a lease that is free, or whose holder is not seen any more. True also if the process has it already. */
export async function takeLease(sql: Sql, name: string, owner: string): Promise<boolean> {
  const taken = await sql`
    insert into leases as kept (name, holder) values (${name}, ${owner})
    on conflict (name) do update set holder = excluded.holder
      where kept.holder = excluded.holder or not exists (
        select 1 from server_processes where owner = kept.holder and ${isSeen(sql)})`
  return taken.count > 0
}

/** The processes with this data folder that sent a heartbeat lately. */
export const processesWith = (sql: Sql, nodeId: string): Promise<{ owner: string }[]> =>
  sql<{ owner: string }[]>`select owner from server_processes where workshop = ${nodeId} and ${isSeen(sql)}`

export async function forgetEndedProcesses(sql: Sql): Promise<void> {
  await sql`delete from server_processes where seen_at < clock_timestamp() - interval '1 day'`
}

/** Fewer than three heartbeats are missing. */
const isSeen = (sql: Sql) => sql`seen_at > clock_timestamp() - interval '30 seconds'`

/** Assigns an upload to a data folder. False if its bytes are in another one. */
export async function claimUpload(sql: Sql, id: string, nodeId: string): Promise<boolean> {
  const { count } = await sql`update uploads set workshop = ${nodeId}
    where id = ${id} and coalesce(workshop, ${nodeId}) = ${nodeId}`
  return count > 0
}

export async function isOpenAt(sql: Sql, id: string, nodeId: string): Promise<boolean> {
  const found = await sql`
    select 1 from uploads where id = ${id} and state = 'open' and workshop = ${nodeId}`
  return found.length > 0
}

/** Assigns an upload to a data folder that has none of its bytes. */
export async function assignUpload(sql: Sql, id: string, nodeId: string): Promise<void> {
  await sql`update uploads set workshop = ${nodeId}, received_bytes = 0, wanted_at = null where id = ${id}`
}

/**
 * Records that the client of an upload reached a process without its bytes. Returns for how many seconds it has reached
 * only such processes; a pause of ten minutes starts the count again.
 */
export async function recordTakeoverRequest(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    update uploads set wanted_at =
      case when wanted_at > now() - interval '10 minutes' then wanted_at else now() end
    where id = ${id} returning extract(epoch from now() - wanted_at)::float8 as seconds`
  return row?.seconds ?? 0
}

/** A file that was stored before the row that refers to it is committed. */
interface Settlement {
  id: string
  kind: string
  name: string
  /** The process that stored the file. */
  owner: string
}

export async function insertSettlement(sql: Sql, row: Settlement): Promise<void> {
  await sql`insert into settlements ${sql({ ...row })}`
}

export async function deleteSettlement(sql: Sql, id: string): Promise<void> {
  await sql`delete from settlements where id = ${id}`
}

export const settlements = (sql: Sql): Promise<Settlement[]> =>
  sql<Settlement[]>`select id, kind, name, owner from settlements order by since`
