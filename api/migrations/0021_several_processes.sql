-- The processes that serve this database. seen_at is a heartbeat by the clock of the database, which all of them share.
create table server_processes (
  owner varchar(200) primary key,
  -- The data folder: unfinished uploads and the Inbox lie there.
  workshop uuid not null,
  host varchar(255) not null,
  -- Where finished recordings are; null: on a disk that only this process has.
  bucket varchar(500),
  -- A known text sealed under APP_SECRET: processes with another secret could not read each other's.
  secret_check varchar(500) not null,
  stopping boolean not null default false,
  seen_at timestamptz not null default clock_timestamp()
);

-- What one process does for all. The lease ends with the heartbeats of its holder.
create table leases (
  name varchar(50) primary key,
  holder varchar(200) not null references server_processes (owner) on delete cascade
);

-- Files that were put into the bucket, until their rows are written. Of a process that ended, the others decide by the rows.
create table settlements (
  id uuid primary key,
  kind varchar(20) not null,
  name varchar(200) not null,
  owner varchar(200) not null,
  since timestamptz not null default now()
);

-- Attempts that are limited, such as sign-ins from one address, in their sliding window. The key is no address but its mark.
create table counted_attempts (
  rule varchar(50) not null,
  key_mark varchar(64) not null,
  attempts timestamptz[] not null,
  -- Whether the last one was within the limit.
  taken boolean not null,
  primary key (rule, key_mark)
);

-- The data folder that has the bytes. Null: nothing arrived yet, or it arrived before there was this column.
alter table uploads
  add column workshop uuid,
  add column received_bytes bigint not null default 0,
  -- Since when its client reaches another process than that one only.
  add column wanted_at timestamptz;
alter table inbox add column workshop uuid;

-- The process that writes it.
alter table backups add column process varchar(200);

-- Clients of SFTP recognize the server by one key, whichever process serves.
alter table sftp_settings add column host_key_sealed text;
