-- Which backups were made: when, by whom, how large, and what became of them.
create table backups (
  id uuid primary key,
  kind varchar(20) not null check (kind in ('manual', 'weekly')),
  started_at timestamptz not null,
  finished_at timestamptz,
  user_id integer references users (id) on delete set null,
  -- As it was then: the account may be gone or renamed.
  actor varchar(255) not null,
  file_name varchar(255) not null,
  bytes bigint not null,
  files integer not null,
  -- running: not all of it has left yet; interrupted: the line broke, it can be resumed.
  result varchar(20) not null default 'running'
    check (result in ('running', 'complete', 'interrupted', 'failed')),
  sentence varchar(500)
);
create index backups_started on backups (started_at);
