-- The transfer server: what an administrator set, and how it stands. One row; several processes look at it.
create table sftp_settings (
  one boolean primary key default true check (one),
  -- Encrypted under the application's secret: it has to be shown again.
  password_sealed varchar(1000) not null,
  -- A session by hand runs until then.
  manual_until timestamptz,
  -- Closed by hand within the window: it stays so until then.
  closed_until timestamptz,
  -- Port of the process that serves it now, and why it could not be opened.
  port integer,
  failure varchar(500),
  -- filename, size, startTime
  current_upload jsonb
);

-- Addresses that are shut out after too many wrong passwords.
create table address_bans (
  address varchar(64) primary key,
  tries integer not null,
  until timestamptz not null
);

-- Recordings that arrived whole. Most stay for a moment, until they are published; the others wait for a person.
create table inbox (
  id uuid primary key,
  -- arriving: about to be published · waiting: for a person
  state varchar(20) not null default 'arriving' check (state in ('arriving', 'waiting')),
  filename varchar(500) not null,
  -- Where its file lay when it was taken, should the taking be cut short.
  taken_from varchar(1000),
  bytes bigint not null check (bytes > 0),
  -- Code and sentence of what stood in the way, and the way to mend it.
  code varchar(50),
  reason varchar(2000),
  fix varchar(500),
  arrived_at timestamptz not null
);
create index inbox_arrived on inbox (arrived_at);
